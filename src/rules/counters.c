#include "rules/counters.h"

#include <string.h>

#include "analysis/reach.h"
#include "flow/walk.h"
#include "values/values.h"

/* `self.NAME` of a counter. */
typedef struct counter {
    gm_analysis *analysis;
    const gm_site *site;
    const gm_name *object; /* "self" */
    const gm_name *name;
    bool bounded;          /* something returns, tests the counter or sets it */
} counter;

static bool is_counter(const counter *wanted, const gm_node *node) {
    if (node->kind != GM_KIND_Attribute || gm_as_Attribute(node)->attr != wanted->name) {
        return false;
    }
    const gm_node *object = gm_as_Attribute(node)->value;
    return object->kind == GM_KIND_Name && gm_as_Name(object)->id == wanted->object;
}

/* A whole number other than zero, as written. */
static bool is_step(const gm_analysis *analysis, const gm_node *node) {
    if (node->kind != GM_KIND_Constant || gm_as_Constant(node)->value.literal != GM_LITERAL_int) {
        return false;
    }
    const char *text = analysis->tree->source->text + node->start;
    return strspn(text, "0_xXoObB") < node->end - node->start;
}

static bool adds(uint8_t op) {
    return op == GM_OP_Add || op == GM_OP_Sub;
}

/* The attribute of `self.NAME += 1` or `self.NAME = self.NAME + 1`; NULL for other statements. */
static const gm_node *counted_by(gm_analysis *analysis, const gm_node *statement) {
    if (statement->kind == GM_KIND_AugAssign) {
        const gm_AugAssign *assign = gm_as_AugAssign(statement);
        return adds(assign->op) && is_step(analysis, assign->value) ? assign->target : NULL;
    }
    if (statement->kind != GM_KIND_Assign || gm_as_Assign(statement)->targets.count != 1 ||
        gm_as_Assign(statement)->value->kind != GM_KIND_BinOp) {
        return NULL;
    }
    const gm_BinOp *sum = gm_as_BinOp(gm_as_Assign(statement)->value);
    const gm_node *target = gm_as_Assign(statement)->targets.items[0];
    return adds(sum->op) && is_step(analysis, sum->right) && gm_analysis_same_text(analysis, target, sum->left) ? target : NULL;
}

static const gm_name *first_parameter(const gm_node *definition) {
    const gm_node *node = definition->kind == GM_KIND_FunctionDef        ? gm_as_FunctionDef(definition)->args
                          : definition->kind == GM_KIND_AsyncFunctionDef ? gm_as_AsyncFunctionDef(definition)->args
                                                                         : NULL;
    const gm_arguments *arguments = node == NULL ? NULL : gm_as_arguments(node);
    const gm_list *list = arguments == NULL ? NULL : arguments->posonlyargs.count > 0 ? &arguments->posonlyargs : &arguments->args;
    return list == NULL || list->count == 0 ? NULL : gm_as_arg(list->items[0])->arg;
}

/* Whether an attribute of the class starts as a whole number and never becomes anything but a number. */
static bool starts_whole(gm_analysis *analysis, const gm_class *class_, const gm_name *name) {
    const gm_attribute *attribute = gm_class_attribute_of(analysis->flow, class_->node, name);
    const gm_node *binder = attribute == NULL ? NULL : attribute->binder;
    const gm_node *value = binder == NULL                      ? NULL
                           : binder->kind == GM_KIND_Assign    ? gm_as_Assign(binder)->value
                           : binder->kind == GM_KIND_AnnAssign ? gm_as_AnnAssign(binder)->value
                                                               : NULL;
    return value != NULL && value->kind == GM_KIND_Constant && gm_as_Constant(value)->value.literal == GM_LITERAL_int &&
           attribute->value.class_ == GM_VALUE_NOT;
}

/* `self.training`, or its opposite: in one of both modes every call comes here. */
static bool is_mode(const counter *wanted, const gm_node *test) {
    if (test->kind == GM_KIND_UnaryOp && gm_as_UnaryOp(test)->op == GM_OP_Not) {
        test = gm_as_UnaryOp(test)->operand;
    }
    const gm_node *object = test->kind == GM_KIND_Attribute ? gm_as_Attribute(test)->value : NULL;
    return object != NULL && object->kind == GM_KIND_Name && gm_as_Name(object)->id == wanted->object &&
           gm_name_is(gm_as_Attribute(test)->attr, "training");
}

static bool in_every_call(const counter *wanted) {
    for (const gm_place *place = wanted->site->place; place != NULL; place = place->outer) {
        gm_kind kind = (gm_kind)place->owner->kind;
        bool always = gm_is_def(place->owner) || kind == GM_KIND_With ||
                      (kind == GM_KIND_If && is_mode(wanted, gm_as_If(place->owner)->test));
        if (!always) {
            return false;
        }
    }
    return true;
}

static bool sets(const counter *wanted, const gm_node *node) {
    if (node->kind == GM_KIND_AnnAssign) {
        return is_counter(wanted, gm_as_AnnAssign(node)->target);
    }
    for (uint32_t i = 0; node->kind == GM_KIND_Assign && i < gm_as_Assign(node)->targets.count; i++) {
        if (is_counter(wanted, gm_as_Assign(node)->targets.items[i])) {
            return true;
        }
    }
    return false;
}

/* In front of the statement nothing returns or looks at the counter; nowhere is the counter set. */
static bool look_for_bounds(const gm_node *node, const gm_node *parent, void *context) {
    counter *wanted = context;
    const gm_node *statement = wanted->site->node;
    (void)parent;
    if (node == statement) {
        return false;
    }
    bool before = node->start < statement->start;
    wanted->bounded |= sets(wanted, node) || (before && (node->kind == GM_KIND_Return || is_counter(wanted, node)));
    return !wanted->bounded;
}

static bool look_for_sets(const gm_node *node, const gm_node *parent, void *context) {
    counter *wanted = context;
    (void)parent;
    wanted->bounded |= sets(wanted, node);
    return !wanted->bounded;
}

/* Whether another method of the class that compiled code calls sets the counter. */
static bool is_set_elsewhere(counter *wanted, const gm_class *class_) {
    const gm_list *body = &gm_as_ClassDef(class_->node)->body;
    for (uint32_t i = 0; i < body->count && !wanted->bounded; i++) {
        const gm_node *method = body->items[i];
        if (gm_is_def(method) && method != wanted->site->function->node && !gm_name_is(gm_def_name(method), "__init__") &&
            gm_reach_has(wanted->analysis, method)) {
            gm_walk(wanted->analysis->arena, method, look_for_sets, wanted);
        }
    }
    return wanted->bounded;
}

/* Compiled code begins with the function: `forward`, or what is compiled by itself. Others may be called now and then. */
static bool is_entrance(gm_analysis *analysis, const gm_node *definition) {
    return gm_reach_has(analysis, definition) &&
           (gm_name_is(gm_def_name(definition), "forward") || gm_reach_callers(analysis, definition) == 0);
}

bool gm_counter_grows(gm_analysis *analysis, const gm_site *site) {
    const gm_node *target = counted_by(analysis, site->node);
    const gm_class *class_ = target == NULL || target->kind != GM_KIND_Attribute ? NULL : gm_class_around(site->function);
    if (class_ == NULL || !class_->is_module || !gm_is_def(site->function->node)) {
        return false;
    }
    counter wanted = {analysis, site, first_parameter(site->function->node), gm_as_Attribute(target)->attr, false};
    if (!is_counter(&wanted, target) || !starts_whole(analysis, class_, wanted.name) || !in_every_call(&wanted) ||
        !is_entrance(analysis, site->function->node)) {
        return false;
    }
    gm_walk(analysis->arena, site->function->node, look_for_bounds, &wanted);
    return !wanted.bounded && !is_set_elsewhere(&wanted, class_);
}

const char gm_counter_message[] = "a counter of a module is changed in every call, and its value is compiled in";
const char gm_counter_advice[] = "count in a buffer, a tensor that `+=` changes in place, or in the caller";

void gm_counter_report(gm_analysis *analysis, const struct gm_rule *rule, const gm_site *site, bool planned) {
    if (!planned) {
        gm_refusal refusal = {"the call itself reads the counter; `graphmend run` keeps its value open", site->node};
        gm_report_refusal(analysis, rule, site, refusal, gm_counter_message, gm_counter_advice, true);
    }
    gm_report_break(analysis, "GB0039");
}
