#include "rules/because.h"

#include "analysis/tests.h"
#include "flow/walk.h"
#include "rules/rule.h"

enum { SNIPPET_LIMIT = 60 };

/* The condition of a decision, or NULL. */
static const gm_node *test_of(const gm_finding *finding) {
    return finding->rule == &gm_rule_path ? finding->node : gm_condition(finding->node);
}

/* The first operand of the class of the whole. */
static const gm_node *first_of(gm_function *function, const gm_list *operands, gm_test_class class_) {
    const char *reason = NULL;
    for (uint32_t i = 0; i < operands->count; i++) {
        if (gm_test_classify(function, operands->items[i], &reason) == class_) {
            return operands->items[i];
        }
    }
    return NULL;
}

/* Through `and`, `or` and `not` to the smallest expression whose truth is asked for. */
static const gm_node *deciding(gm_function *function, const gm_node *test) {
    const char *reason = NULL;
    gm_test_class class_ = gm_test_classify(function, test, &reason);
    const gm_node *part = test;
    while (class_ != GM_TEST_PYTHON && part != NULL) {
        test = part;
        part = NULL;
        if (test->kind == GM_KIND_BoolOp) {
            part = first_of(function, &gm_as_BoolOp(test)->values, class_);
        } else if (test->kind == GM_KIND_UnaryOp && gm_as_UnaryOp(test)->op == GM_OP_Not) {
            part = gm_as_UnaryOp(test)->operand;
        }
    }
    return test;
}

const gm_node *gm_because_mark(const gm_finding *finding) {
    const gm_node *test = test_of(finding);
    return test == NULL ? finding->node : deciding(finding->function, test);
}

typedef struct gm_because_search {
    gm_function *function;
    const gm_node *found;
    gm_value value;
} search;

static bool is_data(gm_value value) {
    return value.class_ == GM_VALUE_TENSOR || value.class_ == GM_VALUE_MAYBE || (value.traits & GM_VALUE_FROM_DATA) != 0;
}

static bool is_of_self(const gm_node *node) {
    return node->kind == GM_KIND_Attribute && gm_as_Attribute(node)->value->kind == GM_KIND_Name &&
           gm_name_is(gm_as_Name(gm_as_Attribute(node)->value)->id, "self");
}

/* False when the first name, or attribute of self, that is a tensor has been found. */
static bool visit_mark(const gm_node *node, void *context) {
    search *state = context;
    if (node->kind == GM_KIND_Lambda || node->kind == GM_KIND_JoinedStr) {
        return true;
    }
    if (node->kind == GM_KIND_Name || is_of_self(node)) {
        gm_value value = gm_value_of(state->function, node);
        if (is_data(value)) {
            state->found = node;
            state->value = value;
            return false;
        }
    }
    return gm_node_children(node, visit_mark, context);
}

static bool is_line_end(char byte) {
    return byte == '\n' || byte == '\r';
}

/* The line around an offset, without its indentation and cut where it is long. */
static const char *line_at(gm_analysis *analysis, uint32_t offset) {
    const gm_source *source = analysis->tree->source;
    const char *text = source->text;
    uint32_t start = source->line_starts[gm_source_position(source, offset).line - 1];
    while (start < offset && (text[start] == ' ' || text[start] == '\t')) {
        start++;
    }
    uint32_t end = start;
    while (end < source->length && !is_line_end(text[end]) && !(text[end] == '#' && end > start + 1 && text[end - 2] == ' ')) {
        end++;
    }
    while (end > start && (text[end - 1] == ' ' || text[end - 1] == '\t')) {
        end--;
    }
    bool cut = end - start > SNIPPET_LIMIT;
    end = cut ? start + SNIPPET_LIMIT : end;
    while (cut && end > start && ((unsigned char)text[end] & 0xC0U) == 0x80U) {
        end--;
    }
    return gm_analysis_text(analysis, "%.*s%s", (int)(end - start), text + start, cut ? "..." : "");
}

static const char *verb_of(gm_value value) {
    return value.class_ == GM_VALUE_TENSOR ? "is a tensor" : value.class_ == GM_VALUE_MAYBE ? "may be a tensor" : "is read from a tensor";
}

const char *gm_because_text(gm_analysis *analysis, const gm_finding *finding, const gm_node *mark, const gm_node **shown) {
    search state = {.function = finding->function};
    *shown = NULL;
    if (test_of(finding) == NULL) {
        return NULL;
    }
    gm_work_below(analysis->arena, mark);
    visit_mark(mark, &state);
    if (state.found == NULL) {
        return NULL;
    }
    const gm_source *source = analysis->tree->source;
    const char *name = source->text + state.found->start;
    int length = (int)(state.found->end - state.found->start);
    const gm_node *binder = state.found->kind == GM_KIND_Name ? gm_reaching_definition(finding->function, state.found) : NULL;
    bool stated = binder != NULL &&
                  (binder->kind == GM_KIND_Name || (binder->kind == GM_KIND_arg && gm_as_arg(binder)->annotation != NULL));
    if (!stated) {
        return gm_analysis_text(analysis, "`%.*s` %s: %s", length, name, verb_of(state.value), state.value.reason);
    }
    *shown = binder;
    const char *text = binder->kind == GM_KIND_arg
                           ? gm_analysis_text(analysis, "%.*s", (int)(binder->end - binder->start), source->text + binder->start)
                           : line_at(analysis, binder->start);
    return gm_analysis_text(analysis, "`%.*s` %s: `%s`", length, name, verb_of(state.value), text);
}
