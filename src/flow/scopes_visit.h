/* Shared by the files of the first pass (scopes_collect.c and those it calls): visitors of nodes, and what they add to scopes. */
#ifndef GM_FLOW_SCOPES_VISIT_H
#define GM_FLOW_SCOPES_VISIT_H

#include "flow/scopes_private.h"

/* False for the target 0, which stands for all versions. */
static inline bool scopes_at_least(const scope_builder *builder, gm_version version) {
    return builder->target >= version;
}

/* scopes_collect.c: one node in the current scope, each node of a list that is there, or a node that may be NULL. */
void gm_scopes_visit(scope_builder *builder, const gm_node *node);
void gm_scopes_visit_list(scope_builder *builder, const gm_list *list);
void gm_scopes_visit_optional(scope_builder *builder, const gm_node *node);

/* Visit the target of a binding that `definition` explains. */
void gm_scopes_visit_defined(scope_builder *builder, const gm_node *target, const gm_node *definition);

/* scopes_names.c: how a name is spelled in a scope, where private names of classes are mangled. */
const gm_name *gm_scopes_spell(scope_builder *builder, const scope_entry *entry, const gm_name *name);

/* Add a name to the current scope, with flags of gm_symbol; `node` is remembered as its use. */
void gm_scopes_add(scope_builder *builder, const gm_name *name, uint32_t flags, const gm_node *node);

/* Add a spelled name to any scope; `node` is NULL for names that Python adds itself. */
gm_symbol *gm_scopes_add_spelled(scope_builder *builder, scope_entry *entry, const gm_name *name, uint32_t flags, const gm_node *node);
void gm_scopes_add_text(scope_builder *builder, const char *text, uint32_t flags);

/* Open a scope inside the current one (the module when there is none), and close it. */
scope_entry *gm_scopes_enter(scope_builder *builder, gm_scope_kind kind, const gm_node *node, const gm_name *name);
void gm_scopes_leave(scope_builder *builder);

/* Annotation scopes directly in a class look the class's names up, too; 3.12 allows no scopes in them. */
void gm_scopes_see_class(scope_builder *builder, bool sees);
void gm_scopes_forbid_nested(scope_builder *builder, const gm_node *node, const char *message);

/* scopes_definition.c */
void gm_scopes_visit_FunctionDef(scope_builder *builder, const gm_node *node);
void gm_scopes_visit_Lambda(scope_builder *builder, const gm_node *node);
void gm_scopes_visit_ClassDef(scope_builder *builder, const gm_node *node);
void gm_scopes_visit_TypeVar(scope_builder *builder, const gm_node *node);
void gm_scopes_visit_ParamSpec(scope_builder *builder, const gm_node *node);
void gm_scopes_visit_TypeVarTuple(scope_builder *builder, const gm_node *node);
void gm_scopes_visit_TypeAlias(scope_builder *builder, const gm_node *node);
void gm_scopes_visit_annotation(scope_builder *builder, const gm_node *annotation);

/* scopes_comprehension.c */
void gm_scopes_visit_comprehension(scope_builder *builder, const gm_node *node);
void gm_scopes_visit_ListComp(scope_builder *builder, const gm_node *node);
void gm_scopes_visit_SetComp(scope_builder *builder, const gm_node *node);
void gm_scopes_visit_GeneratorExp(scope_builder *builder, const gm_node *node);
void gm_scopes_visit_DictComp(scope_builder *builder, const gm_node *node);
void gm_scopes_visit_NamedExpr(scope_builder *builder, const gm_node *node);
void gm_scopes_visit_Yield(scope_builder *builder, const gm_node *node);
void gm_scopes_visit_YieldFrom(scope_builder *builder, const gm_node *node);
void gm_scopes_visit_Await(scope_builder *builder, const gm_node *node);

/* scopes_future.c: the features of a module, and the complaint about an import of them that comes too late. */
void gm_scopes_read_future(scope_builder *builder, const gm_Module *module);
void gm_scopes_refuse_late_future(scope_builder *builder, const gm_node *node);

#endif
