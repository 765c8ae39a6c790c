// The relationship types of the channels, for a pattern. Not a statement: the others include it.
// params: none
// <channels>
TEMPORAL|ENTITY_JUMP|OBJECT_LIFECYCLE|CROSS_MODAL
// </channels>
