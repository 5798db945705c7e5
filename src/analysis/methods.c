#include "analysis/methods.h"

/* A longer body is read once, into a table, for who calls each method of a class would read it as often as it has methods. */
enum { SHORT_BODY = 16 };

struct gm_methods {
    gm_table classes;       /* whose bodies are in the tables below */
    gm_table by_name;       /* of a class and a name: where in the body the last def is */
    gm_table to_read;       /* the same without setters */
};

static bool is_setter(const gm_node *definition) {
    const gm_list *decorators = gm_def_decorators(definition);
    for (uint32_t i = 0; i < decorators->count; i++) {
        const gm_node *decorator = decorators->items[i];
        const gm_name *name = decorator->kind == GM_KIND_Attribute ? gm_as_Attribute(decorator)->attr : NULL;
        if (gm_name_is(name, "setter") || gm_name_is(name, "deleter")) {
            return true;
        }
    }
    return false;
}

static uint64_t key_of(const gm_node *class_def, const gm_name *name) {
    return (uint64_t)class_def->number << 32 | name->index;
}

static void add_class(gm_analysis *analysis, const gm_node *class_def) {
    struct gm_methods *methods = analysis->methods;
    const gm_list *body = &gm_as_ClassDef(class_def)->body;
    gm_table_put(&methods->classes, analysis->arena, class_def->number, 0);
    gm_work(analysis->arena, body->count);
    for (uint32_t i = 0; i < body->count; i++) {
        if (gm_is_def(body->items[i])) {
            uint64_t key = key_of(class_def, gm_def_name(body->items[i]));
            gm_table_put(&methods->by_name, analysis->arena, key, i);
            if (!is_setter(body->items[i])) {
                gm_table_put(&methods->to_read, analysis->arena, key, i);
            }
        }
    }
}

static const gm_node *find_method(gm_analysis *analysis, const gm_node *class_def, const gm_name *name, bool setters) {
    const gm_list *body = &gm_as_ClassDef(class_def)->body;
    if (body->count > SHORT_BODY) {
        if (analysis->methods == NULL) {
            analysis->methods = GM_NEW(analysis->arena, struct gm_methods);
        }
        if (gm_table_find(&analysis->methods->classes, class_def->number) == GM_TABLE_NONE) {
            add_class(analysis, class_def);
        }
        const gm_table *table = setters ? &analysis->methods->by_name : &analysis->methods->to_read;
        uint32_t at = gm_table_find(table, key_of(class_def, name));
        return at == GM_TABLE_NONE ? NULL : body->items[at];
    }
    const gm_node *found = NULL;
    for (uint32_t i = 0; i < body->count; i++) {
        if (gm_is_def(body->items[i]) && gm_def_name(body->items[i]) == name && (setters || !is_setter(body->items[i]))) {
            found = body->items[i];
        }
    }
    return found;
}

const gm_node *gm_method_of_class(gm_analysis *analysis, const gm_node *class_def, const gm_name *name) {
    return find_method(analysis, class_def, name, true);
}

const gm_node *gm_method_to_read(gm_analysis *analysis, const gm_node *class_def, const gm_name *name) {
    return find_method(analysis, class_def, name, false);
}
