// A group's embedding model and languages, and whether it has videos.
// params: group_id
MATCH (g:Group) WHERE g.group_id = $group_id
RETURN g.embedding_model AS model, g.embedding_dim AS dim, g.languages AS languages,
       EXISTS { MATCH (v:Video) WHERE v.group_id = $group_id AND v.video_id IS NOT NULL } AS has_videos
