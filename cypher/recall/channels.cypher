// The relationship types of the channels, for a pattern, and what paths are worded with. Not a statement: others include it.
// params: none
// <channels>
TEMPORAL|ENTITY_JUMP|OBJECT_LIFECYCLE|CROSS_MODAL
// </channels>
// _PAYLOAD in store/read/event_reader.py names these, in order.
// <payload>
[r.person, r.object, r.verb, r.subject]
// </payload>
