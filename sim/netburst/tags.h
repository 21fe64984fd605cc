/* The tags that upstream ESCRs put on uops (R15, R44). */
#ifndef SIM_NETBURST_TAGS_H
#define SIM_NETBURST_TAGS_H

#include "state.h"

/* The tags of an ESCR that qualifies. */
unsigned nbpmu_tag_value(const struct nbpmu_escr *escr);

/* After a write to an ESCR, which was like before: does it go on tagging (E23)? */
void nbpmu_linger(struct nbpmu *pmu, int escr_index, const struct nbpmu_escr *before);

#endif
