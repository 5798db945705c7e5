#include "analysis/makers.h"

/* The dotted name of what is called to make the value of a variable that is bound once. */
static const gm_name *maker_of_name(gm_function *function, const gm_node *name) {
    const gm_scopes *scopes = function->flow->scopes;
    const gm_symbol *symbol = gm_scopes_symbol(scopes, name);
    const gm_symbol *owner = symbol == NULL ? NULL : gm_symbol_owner(scopes, symbol);
    bool once = owner != NULL && owner->binders.count == 1 && (owner->flags & (GM_SYMBOL_OUTSIDE | GM_SYMBOL_PARAMETER)) == 0;
    const gm_node *definition = once ? gm_scopes_definition(scopes, owner->binders.items[0]) : NULL;
    const gm_node *value = definition == NULL                      ? NULL
                           : definition->kind == GM_KIND_Assign    ? gm_as_Assign(definition)->value
                           : definition->kind == GM_KIND_AnnAssign ? gm_as_AnnAssign(definition)->value
                                                                   : NULL;
    bool called = value != NULL && value->kind == GM_KIND_Call;
    return called ? gm_flow_qualified(function->flow, gm_as_Call(value)->func) : NULL;
}

/* The class of which `self.NAME` holds an instance, as its constructor is called in the class. */
static const gm_name *maker_of_attribute(gm_function *function, const gm_Attribute *attribute) {
    bool own = attribute->value->kind == GM_KIND_Name && gm_name_is(gm_as_Name(attribute->value)->id, "self");
    const gm_class *class_ = own ? gm_class_around(function) : NULL;
    const gm_attribute *attached = class_ == NULL ? NULL : gm_class_attribute(class_, attribute->attr);
    return attached == NULL ? NULL : attached->type;
}

const gm_name *gm_maker_of(gm_function *function, const gm_node *object) {
    return object->kind == GM_KIND_Name        ? maker_of_name(function, object)
           : object->kind == GM_KIND_Attribute ? maker_of_attribute(function, gm_as_Attribute(object))
                                               : NULL;
}
