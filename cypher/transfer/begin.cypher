// Begin to import a file, or begin again. The group is made if it is not there.
// params: group_id, props, mark, now
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
WITH ids
MERGE (g:Group {group_id: $group_id}) ON CREATE SET g += $props, g.created_at = $now
SET g.importing = $mark, g.import_done = 0
