/*
 * The table of a PMU that is as the rules say.
 */
#include "stages.h"

#define STAGE(type, name, parameters, arguments, ...) .name = nbpmu_##name,
const struct nbpmu_stages nbpmu_sound_stages = {NBPMU_STAGES(STAGE)};
