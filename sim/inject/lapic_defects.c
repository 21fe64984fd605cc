/*
 * The stages of a local APIC (struct lapic_stages) that is not sound: each calls the sound stage, and changes
 * what goes in or what comes out, by a composed fault of LVTPC (sim/faults/grammar.h). An act of it is a PMI
 * that reaches the local APIC, or a write of LVTPC, and lasts until the next of these.
 */
#include "inject.h"

#include "pmc/netburst/regs.h"
#include "sim/faults/grammar.h"

static struct lapic_defects *defects_of(const struct lapic *lapic)
{
    return lapic->defects;
}

/* One more act. It is drawn where the result first deviates. */
static void draw(const struct lapic *lapic)
{
    defects_of(lapic)->drawn = false;
}

static const struct processor *owner(const struct lapic *lapic)
{
    const struct processor *processor = defects_of(lapic)->machine->processor;
    while (&processor->lapic != lapic)
        processor++;
    return processor;
}

/* ---- Composed faults ---- */

static const struct nbpmu_composition *composition_of(const struct lapic *lapic)
{
    return &defects_of(lapic)->fault.composition;
}

/* Is this the stage of the composed fault, here and while its conditions hold? */
static bool concerns(const struct lapic *lapic, enum stage stage)
{
    const struct nbpmu_composition *composition = composition_of(lapic);
    if (!composition->stage || stage_of(composition) != stage ||
        !is_at(composition, PLACE_LP, owner(lapic)->thread))
        return false;
    for (unsigned i = 0; i < NBPMU_FAULT_CONDITIONS; i++)
        if (composition->condition[i] &&
            !nbpmu_fault_condition_holds(owner(lapic)->core->pmu, composition->condition[i], 0))
            return false;
    return true;
}

/* The result is another one if the composed fault acts. Does it? */
static bool acts(const struct lapic *lapic)
{
    struct lapic_defects *defects = defects_of(lapic);
    const struct nbpmu_composition *composition = composition_of(lapic);
    if (defects->drawn)
        return defects->strikes;
    const uint64_t act = ++defects->acts;
    defects->drawn = true;
    defects->strikes = composition->history == HISTORY_AFTER     ? act > composition->number
                       : composition->history == HISTORY_EVERY   ? act % composition->number == 0
                       : composition->history == HISTORY_ONCE_IN ? nbpmu_fault_strikes(&defects->fault, act)
                                                                 : true;
    defects->struck += defects->strikes;
    return defects->strikes;
}

static bool deviates_by(const struct lapic *lapic, enum deviation deviation)
{
    return deviation_of(composition_of(lapic)) == deviation;
}

/* Does the composed fault make a truth of this stage false, or true? */
static bool is_truth(const struct lapic *lapic, enum stage stage, bool sound)
{
    if (!concerns(lapic, stage))
        return sound;
    const bool deviating = nbpmu_deviating_truth(composition_of(lapic), sound);
    return deviating != sound && acts(lapic) ? deviating : sound;
}

/* The local APIC of the other logical processor, if the fault makes what happens at this stage reach it, too,
 * while it acts. Null: it does not. */
static struct lapic *also_reached(const struct lapic *lapic, enum stage stage)
{
    struct processor *other = owner(lapic)->core->processor[owner(lapic)->thread ^ 1];
    return other && concerns(lapic, stage) && deviates_by(lapic, DEVIATION_ALSO_OTHER_LP) ? &other->lapic
                                                                                          : NULL;
}

/* Its LVTPC gets this value, if it has another one and the fault acts. */
static void set_also(const struct lapic *lapic, struct lapic *also, uint32_t lvtpc)
{
    if (also->lvt[LVT_PERFORMANCE] != lvtpc && acts(lapic))
        also->lvt[LVT_PERFORMANCE] = lvtpc;
}

static uint32_t composed_effect(const struct lapic *lapic, uint32_t lvt)
{
    const struct nbpmu_composition *composition = composition_of(lapic);
    uint32_t deviating = lvt;
    if (concerns(lapic, STAGE_LVTPC)) {
        const struct processor *other = owner(lapic)->core->processor[owner(lapic)->thread ^ 1];
        const uint32_t field = (uint32_t)nbpmu_fault_bits(composition);
        deviating = (uint32_t)nbpmu_deviating_number(composition, lvt);
        if (deviates_by(lapic, DEVIATION_NEIGHBOUR) && other)
            deviating = (lvt & ~field) | (other->lapic.lvt[LVT_PERFORMANCE] & field);
    } else if (concerns(lapic, STAGE_LVTPC_RAISE)) {
        deviating =
            nbpmu_deviating_truth(composition, !(lvt & LVT_MASKED)) ? lvt & ~LVT_MASKED : lvt | LVT_MASKED;
    }
    return deviating != lvt && acts(lapic) ? deviating : lvt;
}

/* ---- What is asked of the entry ---- */

static bool is_nmi(uint32_t lvtpc)
{
    return (lvtpc & LVT_DELIVERY_MASK) == LVT_DELIVERY_NMI;
}

static bool delivers_nmis(const struct lapic *lapic)
{
    return is_nmi(lapic->lvt[LVT_PERFORMANCE]);
}

static bool is_pmi(const struct lapic *lapic, unsigned vector)
{
    return vector == (lapic->lvt[LVT_PERFORMANCE] & 0xFF);
}

/* ---- Registers ---- */

static void defective_reset(struct lapic *lapic, uint8_t id, uint64_t clocks_per_tick)
{
    lapic_reset(lapic, id, clocks_per_tick);
    if (!is_truth(lapic, STAGE_LVTPC_RESET, true))
        lapic->lvt[LVT_PERFORMANCE] = 0;
}

static enum lapic_request defective_write(struct lapic *lapic, uint32_t offset, uint32_t value,
                                          uint64_t clock)
{
    if (offset == APIC_LVTPC)
        draw(lapic);
    enum lapic_request request = lapic_write(lapic, offset, value, clock);
    if (request == LAPIC_LVTPC_ENABLED && defects_of(lapic)->pmi_storm)
        lapic_raise(lapic, LVT_PERFORMANCE);
    struct lapic *also = offset == APIC_LVTPC ? also_reached(lapic, STAGE_LVTPC_WRITE) : NULL;
    if (also) {
        const uint32_t field = (uint32_t)nbpmu_fault_bits(composition_of(lapic));
        set_also(lapic, also, (also->lvt[LVT_PERFORMANCE] & ~field) | (lapic->lvt[LVT_PERFORMANCE] & field));
    }
    return request;
}

static uint32_t defective_kept(const struct lapic *lapic, enum lapic_lvt entry, uint32_t value)
{
    struct lapic seen = *lapic;
    if (entry == LVT_PERFORMANCE && !(lapic->svr & LAPIC_SVR_ENABLE) &&
        !is_truth(lapic, STAGE_LVTPC_DISABLE, true))
        seen.svr |= LAPIC_SVR_ENABLE;
    if (entry == LVT_PERFORMANCE && concerns(lapic, STAGE_LVTPC_WRITE)) {
        const uint32_t held =
            (uint32_t)nbpmu_deviating_register(composition_of(lapic), lapic->lvt[entry], value);
        if (lapic_kept(&seen, entry, held) != lapic_kept(&seen, entry, value) && acts(lapic))
            value = held;
    }
    return lapic_kept(&seen, entry, value);
}

static void defective_disable(struct lapic *lapic)
{
    const uint32_t lvtpc = lapic->lvt[LVT_PERFORMANCE];
    lapic_disable(lapic);
    if (!(lvtpc & LVT_MASKED) && !is_truth(lapic, STAGE_LVTPC_DISABLE, true))
        lapic->lvt[LVT_PERFORMANCE] = lvtpc;
}

/* ---- Raising an entry ---- */

static uint32_t defective_effect(const struct lapic *lapic, enum lapic_lvt entry)
{
    uint32_t lvt = lapic_effect(lapic, entry);
    if (entry == LVT_TIMER && defects_of(lapic)->timer_silent)
        return lvt | LVT_MASKED;
    if (entry != LVT_PERFORMANCE)
        return lvt;
    return composed_effect(lapic, lvt);
}

static void defective_raise(struct lapic *lapic, enum lapic_lvt entry)
{
    if (entry == LVT_PERFORMANCE)
        draw(lapic);
    struct lapic *also = entry == LVT_PERFORMANCE && !(lapic_effect(lapic, entry) & LVT_MASKED)
                             ? also_reached(lapic, STAGE_LVTPC_RAISE)
                             : NULL;
    lapic_raise(lapic, entry);
    if (also && acts(lapic))
        lapic_raise(also, entry);
}

static void defective_mask(struct lapic *lapic)
{
    if (!is_truth(lapic, STAGE_LVTPC_MASKS, true))
        return;
    struct lapic *also = also_reached(lapic, STAGE_LVTPC_MASKS);
    if (also)
        set_also(lapic, also, also->lvt[LVT_PERFORMANCE] | LVT_MASKED);
    lapic_mask(lapic);
}

/* ---- Delivery ---- */

static void defective_end(struct lapic *lapic, unsigned vector)
{
    if (!is_pmi(lapic, vector) || is_truth(lapic, STAGE_LVTPC_EOI, true))
        lapic_end(lapic, vector);
}

static bool defective_passes(const struct lapic *lapic, unsigned vector)
{
    const bool passes = lapic_passes(lapic, vector);
    if (!is_pmi(lapic, vector))
        return passes;
    return is_truth(lapic, STAGE_LVTPC_TPR, passes);
}

/* With the fault a PMI alone does not end HLT. Another interrupt does, and then the PMI is taken as well. */
static bool defective_wakes(const struct lapic *lapic)
{
    const int vector = lapic_deliverable(lapic);
    const bool another =
        (vector >= 0 && !is_pmi(lapic, (unsigned)vector)) || (lapic->nmi_pending && !delivers_nmis(lapic));
    return another || is_truth(lapic, STAGE_LVTPC_WAKE, true);
}

#define STAGE(type, name, parameters) .name = defective_##name,
static const struct lapic_stages DEFECTIVE = {LAPIC_STAGES(STAGE)};

/* ---- Interface ---- */

bool lapic_defects_of(struct lapic_defects *found, const struct nbpmu_fault *fault,
                      const struct defects *boards)
{
    *found = (struct lapic_defects){
        .timer_silent = defect_is(boards, BOARD_APIC_DEAD),
        .pmi_storm = defect_is(boards, BOARD_PMI_STORM),
    };
    if (nbpmu_fault_is_of_lvtpc(fault))
        found->fault = *fault;
    return found->fault.composition.stage || found->timer_silent || found->pmi_storm;
}

static void init(void *context, struct machine *machine)
{
    struct lapic_defects *defects = context;
    defects->machine = machine;
    for (unsigned i = 0; i < machine->processors; i++) {
        struct lapic *lapic = &machine->processor[i].lapic;
        lapic->stages = &DEFECTIVE;
        lapic->defects = defects;
        lapic->stages->reset(lapic, lapic->id, lapic->clocks_per_tick);
    }
}

struct injector lapic_defects_injector(struct lapic_defects *defects)
{
    return (struct injector){.context = defects, .init = init};
}
