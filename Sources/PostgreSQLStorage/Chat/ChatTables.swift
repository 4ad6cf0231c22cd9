/// The table definitions of chat, one per version. Existing versions are never changed; new ones are appended.
enum ChatTables {
    static let part = "chat"

    static let migrations = [
        """
        CREATE TABLE event (
            id int8 PRIMARY KEY, application bytea NOT NULL, conversation bytea, sender bytea NOT NULL, client_id bytea,
            own_sequence int8, audience int8 NOT NULL, body bytea NOT NULL
        );
        CREATE INDEX event_conversation ON event (application, conversation, id) WHERE conversation IS NOT NULL;
        CREATE INDEX event_loose ON event (id) WHERE conversation IS NULL;
        CREATE TABLE reader (event int8 NOT NULL, name bytea NOT NULL, PRIMARY KEY (event, name));
        CREATE TABLE inbox (
            application bytea NOT NULL, name bytea NOT NULL, last int8 NOT NULL DEFAULT 0, acknowledged int8 NOT NULL DEFAULT 0,
            PRIMARY KEY (application, name)
        );
        CREATE TABLE inbox_entry (
            application bytea NOT NULL, name bytea NOT NULL, sequence int8 NOT NULL, event int8 NOT NULL,
            PRIMARY KEY (application, name, sequence)
        );
        CREATE TABLE receipt (
            id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY, event int8 NOT NULL, reader bytea NOT NULL, time int8 NOT NULL,
            UNIQUE (event, reader)
        );
        CREATE TABLE hidden (event int8 NOT NULL, name bytea NOT NULL, PRIMARY KEY (event, name));
        CREATE TABLE hidden_up_to (
            application bytea NOT NULL, name bytea NOT NULL, conversation bytea NOT NULL, event int8 NOT NULL,
            PRIMARY KEY (application, name, conversation)
        );
        CREATE TABLE document (
            application bytea NOT NULL, kind bytea NOT NULL, name bytea NOT NULL, value bytea NOT NULL,
            PRIMARY KEY (application, kind, name)
        );
        """,
        // The table with the number and bytes of the messages in histories, by application and day. Its pages are only half filled, so that
        // the updates of nearly each transaction find room in the same page.
        """
        CREATE TABLE event_usage (
            application bytea NOT NULL, day int8 NOT NULL, messages int8 NOT NULL, bytes int8 NOT NULL, PRIMARY KEY (application, day)
        ) WITH (fillfactor = 50);
        """ + EventUsageStatements.recount,
        PartitionMigration.statements(
            table: "event", column: "id", key: "id", former: ["conversation", "loose"],
            indexes: """
                CREATE INDEX event_conversation ON event (application, conversation, id) WHERE conversation IS NOT NULL;
                CREATE INDEX event_loose ON event (id) WHERE conversation IS NULL;
                """),
        // An index of each application's messages in histories by id, from which the oldest messages are deleted.
        "CREATE INDEX IF NOT EXISTS event_history ON event (application, id) WHERE conversation IS NOT NULL",
    ]
}
