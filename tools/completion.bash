# Completion in bash for p4sim, pmulog, capture and write-stick: `. tools/completion.bash`. make install puts
# it where bash finds it. The programs themselves say what they know, by --help and by p4sim's lists, so that
# nothing is named twice.

# The first words of what a list of p4sim prints: of faults the names or, once a dot is written, compositions.
_pmuproof_listed() { # PROGRAM OPTION WORD
    case $2:$3 in
    --fault:*.*) "$1" --fault list "$3*" ;;
    --fault:*) "$1" --fault list '*' ;;
    *) "$1" "$2" list ;;
    esac 2>/dev/null | cut -d ' ' -f 1
    echo list
}

_pmuproof() { # PROGRAM WORD BEFORE: what bash calls it with
    local program=$1 word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} known=
    if [ "$word" = = ]; then
        word=
    elif [ "$before" = = ]; then # bash takes --fault=NAME for three words
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    COMPREPLY=()
    case ${program##*/}:$before in
    p4sim:--cpu | p4sim:--variant | p4sim:--fault | p4sim:--board)
        known=$(_pmuproof_listed "$program" "$before" "$word")
        ;;
    p4sim:--ht) known='on off' ;;
    p4sim:--timing) known='typical kind list' ;;
    p4sim:--limit | p4sim:--noise | capture:--boots | capture:--timeout | capture:--idle | \
        pmulog:--boot | pmulog:--hostname) return ;;
    capture:--baud) known=$("$program" --help | sed -n 's/.*--baud N *speed: \([0-9 ]*\).*/\1/p') ;;
    p4sim:--screen | p4sim:--vcd | capture:--stamps | capture:--reference | pmulog:--stamps) ;;
    *)
        case ${program##*/}:$COMP_CWORD:$word in
        *:-*)
            known=$("$program" --help | sed -n -e 's/^ *\(--[a-z-]*\), \(--[a-z-]*\) .*/\1 \2/p' -e t \
                -e 's/^ *\(--[a-z-]*\).*/\1/p')
            ;;
        pmulog:1:*) known=$("$program" --help | sed -n 's/^  \([a-z]*\) .*/\1/p') ;;
        esac
        ;;
    esac
    # Without anything known, bash completes names of files.
    [ -z "$known" ] || mapfile -t COMPREPLY < <(compgen -W "$known" -- "$word")
}

complete -o default -F _pmuproof p4sim pmulog capture write-stick
