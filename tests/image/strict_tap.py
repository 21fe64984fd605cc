"""Reads logs with two parsers of TAP that are stricter than perl's: those of meson and of tappy.

    /usr/bin/python3 tests/image/strict_tap.py LOG...

For each log a line: its name; passed, failed, skipped and planned points; `bail` after a bail-out; then every complaint
of a parser, and everything in which the two differ.
"""
import sys
import unittest

sys.path.append("/usr/share/meson")  # where some releases of the package keep its modules
import tap.loader
import tap.parser
from mesonbuild.mtest import TAPParser, TestResult

assert tap.parser.ENABLE_VERSION_13, "tappy reads diagnoses only with python3-yaml and python3-more-itertools"


def by_meson(name):
    """Points of the log by outcome, those planned, whether it bailed out, and complaints."""
    counts = {TestResult.OK: 0, TestResult.FAIL: 0, TestResult.SKIP: 0}
    planned, bailed, complaints = "none", False, []
    with open(name, encoding="ascii") as log:
        for event in TAPParser().parse(log):
            if isinstance(event, TAPParser.Test):
                counts[event.result] += 1
            elif isinstance(event, TAPParser.Plan):
                planned = event.num_tests
            elif isinstance(event, TAPParser.Bailout):
                bailed = True
            elif isinstance(event, (TAPParser.Error, TAPParser.UnknownLine)):
                complaints.append(f"meson: {event.message}")
    return list(counts.values()), planned, bailed, complaints


def by_tappy(name):
    """Points of the log by outcome, and complaints: of lines, of diagnoses that are no YAML, of the whole."""
    counts, complaints = [0, 0, 0], []
    for line in tap.parser.Parser().parse_file(name):
        if line.category == "test":
            counts[2 if line.skip else 0 if line.ok else 1] += 1
            if line._yaml_block and not line.yaml_block:
                complaints.append(f"tappy: the diagnosis is no YAML: {line}")
        elif line.category == "unknown":
            complaints.append("tappy: a line that is none of TAP")
    result = unittest.TestResult()
    tap.loader.Loader().load([name]).run(result)
    rules = (case._line for case, _ in result.failures if case._line.number is None)  # a complaint has no number
    complaints += [f"tappy: {line.description}" for line in rules]
    return counts, complaints


for name in sys.argv[1:]:
    counts, planned, bailed, complaints = by_meson(name)
    others, more = by_tappy(name)
    complaints += more
    if counts != others:
        complaints.append(f"meson counts {counts}, tappy {others}")
    words = "{} passed, {} failed, {} skipped of {}".format(*counts, planned) + (", bail" if bailed else "")
    print(": ".join([name, "; ".join([words] + complaints)]))
