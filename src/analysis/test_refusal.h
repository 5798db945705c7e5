/* What forbids to mend a condition: it suspends, it assigns, or it would be evaluated where Python stops before. */
#ifndef GM_ANALYSIS_TEST_REFUSAL_H
#define GM_ANALYSIS_TEST_REFUSAL_H

#include "analysis/tests.h"

/* What forbids to write the condition in its mended form. `twice`: the mended form may evaluate it a second time. */
gm_refusal gm_test_refusal(gm_analysis *analysis, const gm_site *site, const gm_node *test, bool twice);

#endif
