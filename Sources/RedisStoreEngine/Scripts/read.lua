#!lua flags=no-writes
-- Reads batches of a cluster's log up to a number of bytes, because a node refuses answers that are too long.
--
-- KEYS[1]  stream of the log: ids <generation>-<sequence>, field b (commit.lua)
-- ARGV[1]  the position behind which is read, <generation>-<sequence>
-- ARGV[2]  how many batches are read at most
-- ARGV[3]  bytes of batches at which reading stops; the first batch is returned in any case
-- Cost     one XRANGE for each batch
--
-- Answers {1 if there may be more and 0 if not, the entries as XRANGE returns them}.
local from, limit, bytes = '(' .. ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local entries, size = {}, 0
for i = 1, limit do
  local entry = redis.call('XRANGE', KEYS[1], from, '+', 'COUNT', 1)[1]
  if not entry then return {0, entries} end
  size = size + #entry[2][2]
  if i > 1 and size > bytes then return {1, entries} end
  entries[i] = entry
  from = '(' .. entry[1]
end
return {1, entries}
