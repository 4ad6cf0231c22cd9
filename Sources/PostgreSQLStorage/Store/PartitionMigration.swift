import ServerStorage

/// The change of a table to one that is partitioned by time. Part of a migration, so never changed.
enum PartitionMigration {
    /// The rows that are there become one partition, which ends with the present day, or the day of a row that is later. They are checked, not
    /// written again.
    ///
    /// - Parameters:
    ///   - key: the columns of the primary key, with `column`, by which the table is partitioned.
    ///   - former: the ends of the names of the former indexes.
    ///   - indexes: statements that make the indexes.
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
