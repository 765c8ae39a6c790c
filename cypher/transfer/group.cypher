// What a group is, for the head of an export, and the import that is unfinished in it.
// params: group_id
// importing: a SHA-256 of the file that is imported, and of whose memory it becomes, if a user's; imported: of the import that was
// completed last.
MATCH (g:Group) WHERE g.group_id = $group_id
RETURN g.embedding_model AS model, g.embedding_dim AS dim, g.languages AS languages, coalesce(g.losses, []) AS losses,
       g.importing AS importing, coalesce(g.import_done, 0) AS done, g.imported AS imported
