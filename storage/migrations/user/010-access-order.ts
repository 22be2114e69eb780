/** Indexes in which accesses are listed page by page: live ones by name, deleted ones by time of deletion. */
export const accessOrder = `
CREATE INDEX access_list ON access (name, id) WHERE deleted IS NULL;
DROP INDEX access_deleted;
CREATE INDEX access_deleted ON access (deleted, id) WHERE deleted IS NOT NULL;
`
