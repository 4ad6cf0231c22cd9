import ServerStorage

/// Converts a table to a table that is partitioned by time. It is part of a migration, so it is never changed.
enum PartitionMigration {
    /// The SQL statements of the conversion. The former table becomes one partition with all its rows. The partition ends with the present
    /// day, or with the day of the newest row if that is later. PostgreSQL checks the rows without rewriting them.
    ///
    /// - Parameters:
    ///   - key: the columns of the primary key. They include `column`, by which the table is partitioned.
    ///   - former: the names of the table's former indexes, without the prefix `TABLE_`.
    ///   - indexes: statements that create the indexes of the partitioned table.
    static func statements(table: String, column: String, key: String, former: [String], indexes: String) -> String {
        let renamed = former.map { "ALTER INDEX \(table)_\($0) RENAME TO \(table)_before_\($0);" }.joined(separator: " ")
        return """
            DO $$
            DECLARE top numeric;
            BEGIN
                SELECT floor(greatest(max(\(column)), extract(epoch FROM now()) * 10000000) / \(HistoryTrimmer.day)) + 1 INTO top FROM \(table);
                ALTER TABLE \(table) RENAME TO \(table)_before;
                ALTER INDEX \(table)_pkey RENAME TO \(table)_before_pkey;
                \(renamed)
                CREATE TABLE \(table) (LIKE \(table)_before INCLUDING DEFAULTS) PARTITION BY RANGE (\(column));
                ALTER TABLE \(table) ADD PRIMARY KEY (\(key));
                \(indexes)
                CREATE TABLE \(table)_rest PARTITION OF \(table) DEFAULT;
                IF EXISTS (SELECT 1 FROM \(table)_before) THEN
                    EXECUTE format('ALTER TABLE \(table) ATTACH PARTITION \(table)_before FOR VALUES FROM (MINVALUE) TO (%s)', top * \(HistoryTrimmer.day));
                ELSE
                    DROP TABLE \(table)_before;
                END IF;
            END
            $$
            """
    }
}
