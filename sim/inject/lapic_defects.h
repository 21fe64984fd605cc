/*
 * What may be wrong with the local APICs: the faults of LVTPC in the catalogue (R1, R45, R50 to R53), and two
 * boards.
 */
#ifndef SIM_INJECT_LAPIC_DEFECTS_H
#define SIM_INJECT_LAPIC_DEFECTS_H

#include <stdbool.h>
#include <stdint.h>
#include "defect.h"

struct lapic_defects {
    enum nbpmu_lvtpc_fault fault;
    uint32_t stuck_bit, stuck_at;  /* of a fault that has them: the bit, and the bit or 0 */
    uint32_t field;                /* of a fault that concerns one: a field of LVTPC, */
    unsigned lp;                   /* and a logical processor */
    uint32_t last_written;         /* by either logical processor */
    bool masked_by_pmi[NBPMU_LPS]; /* a PMI has set the mask since the entry was written */
    bool nmi_sticks[NBPMU_LPS];    /* it was written fixed over NMI, and not masked since then */
    bool timer_silent, pmi_storm;
    struct machine *machine;
};

/* Fill in *found. False when the local APICs are sound with this fault and on these boards. */
bool lapic_defects_of(struct lapic_defects *found, const struct nbpmu_fault *fault,
                      const struct defects *boards);

/* For machine_config.injectors, before the others. *defects must live as long as the machine. */
struct injector lapic_defects_injector(struct lapic_defects *defects);

#endif
