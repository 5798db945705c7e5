#include "analysis/chosen.h"

#include "base/table.h"
#include "flow/walk.h"
#include "values/values.h"

/* Locals by symbol, attributes by name: `self.bad` and `other.bad` are one, which costs a test its plain form and nothing else. */
struct gm_chosen {
    gm_table names;
    uint32_t count;
};

typedef struct gm_chosen_search {
    gm_function *function;
    struct gm_chosen *chosen;
    uint32_t end; /* of the last branch on data that has begun: what starts in front of it stands inside */
    bool found;
} search;

static uint64_t key_of(const search *asked, const gm_node *node) {
    const void *name = node->kind == GM_KIND_Attribute ? (const void *)gm_as_Attribute(node)->attr
                       : node->kind == GM_KIND_Name    ? (const void *)gm_scopes_symbol(asked->function->flow->scopes, node)
                                                       : NULL;
    return name == NULL ? 0 : gm_table_pointer(name);
}

static bool look_for_read(const gm_node *node, const gm_node *parent, void *context) {
    search *asked = context;
    (void)parent;
    uint64_t key = key_of(asked, node);
    if (key != 0 && gm_table_find(&asked->chosen->names, key) != GM_TABLE_NONE) {
        asked->found |= gm_value_is_number(gm_value_of(asked->function, node));
    }
    return !asked->found;
}

static bool reads(gm_function *function, struct gm_chosen *chosen, const gm_node *expression) {
    search asked = {function, chosen, 0, false};
    if (chosen->count > 0) {
        gm_walk(function->flow->arena, expression, look_for_read, &asked);
    }
    return asked.found;
}

static void add(search *asked, const gm_node *target) {
    uint64_t key = key_of(asked, target);
    if (key != 0 && gm_table_find(&asked->chosen->names, key) == GM_TABLE_NONE) {
        gm_table_put(&asked->chosen->names, asked->function->flow->arena, key, asked->chosen->count++);
    }
}

static bool is_on_data(const search *asked, const gm_node *test) {
    gm_value value = gm_value_of_test(asked->function, test);
    return value.class_ == GM_VALUE_TENSOR || value.class_ == GM_VALUE_MAYBE || (value.traits & GM_VALUE_FROM_DATA) != 0 ||
           reads(asked->function, asked->chosen, test);
}

static bool look_for_choice(const gm_node *node, const gm_node *parent, void *context) {
    search *asked = context;
    if (parent != NULL && node != asked->function->node && gm_is_definition(node)) {
        return false;
    }
    if (node->kind == GM_KIND_If && node->start >= asked->end && is_on_data(asked, gm_as_If(node)->test)) {
        asked->end = node->end;
    } else if (node->start < asked->end && node->kind == GM_KIND_AugAssign) {
        add(asked, gm_as_AugAssign(node)->target);
    } else if (node->start < asked->end && node->kind == GM_KIND_Assign) {
        for (uint32_t i = 0; i < gm_as_Assign(node)->targets.count; i++) {
            add(asked, gm_as_Assign(node)->targets.items[i]);
        }
    }
    return true;
}

/* A number may be chosen behind the branch that tests it, in a loop: the second look sees what the first one has found. */
static struct gm_chosen *choices_of(gm_function *function) {
    if (function->chosen == NULL) {
        function->chosen = GM_NEW(function->flow->arena, struct gm_chosen);
        uint32_t before = 0;
        for (int look = 0; look < 2 && (look == 0 || function->chosen->count > before); look++) {
            before = function->chosen->count;
            search asked = {function, function->chosen, 0, false};
            gm_work_below(function->flow->arena, function->node);
            gm_walk(function->flow->arena, function->node, look_for_choice, &asked);
        }
    }
    return function->chosen;
}

bool gm_chosen_reads(gm_function *function, const gm_node *expression) {
    return gm_is_def(function->node) && reads(function, choices_of(function), expression);
}
