/// The table definitions for applications that are created at run time, one per version. Existing versions are never changed; new ones are
/// appended.
enum ApplicationTables {
    static let part = "applications"

    static let migrations = [
        """
        CREATE TABLE application (name bytea PRIMARY KEY, body bytea NOT NULL);
        CREATE TABLE application_change (id int8 PRIMARY KEY CHECK (id = 1), number int8 NOT NULL);
        INSERT INTO application_change (id, number) VALUES (1, 0);
        """
    ]
}
