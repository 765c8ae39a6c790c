// How many events, episodes and facts of a group have no embedding of the model.
// params: group_id, model
RETURN
// <include vectors/switch_model missing>
