/// The table definitions of messages, one per version. Existing versions are never changed; new ones are appended.
enum MessageTables {
    static let part = "messages"

    static let migrations = [
        """
        CREATE TABLE message (
            application bytea NOT NULL, timetoken int8 NOT NULL, channel bytea NOT NULL, publisher bytea, payload bytea NOT NULL,
            metadata bytea, kind int8 NOT NULL, custom_type bytea, sequence int8, origination int8, stored boolean NOT NULL,
            expires int8, PRIMARY KEY (application, channel, timetoken)
        );
        CREATE INDEX message_timetoken ON message (timetoken);
        CREATE INDEX message_expires ON message (expires) WHERE expires IS NOT NULL;
        CREATE TABLE message_action (
            application bytea NOT NULL, channel bytea NOT NULL, timetoken int8 NOT NULL, message int8 NOT NULL, type bytea NOT NULL,
            value bytea NOT NULL, author bytea NOT NULL, PRIMARY KEY (application, channel, timetoken)
        );
        CREATE TABLE group_channel (
            application bytea NOT NULL, name bytea NOT NULL, position int8 NOT NULL, channel bytea NOT NULL,
            PRIMARY KEY (application, name, position)
        );
        CREATE TABLE access (
            id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY, application bytea NOT NULL, kind int8 NOT NULL, name bytea NOT NULL,
            holder bytea, rights int8 NOT NULL, ttl int8 NOT NULL, expires int8
        );
        CREATE INDEX access_key ON access (application, kind, name, holder);
        CREATE INDEX access_expires ON access (expires) WHERE expires IS NOT NULL;
        CREATE TABLE record (
            application bytea NOT NULL, kind int8 NOT NULL, name bytea NOT NULL, value bytea NOT NULL,
            PRIMARY KEY (application, kind, name)
        );
        """,
        // The table with the number and bytes of the messages in histories, by application and day. Its pages are only half filled, so that
        // the updates of nearly each transaction find room in the same page.
        """
        CREATE TABLE message_usage (
            application bytea NOT NULL, day int8 NOT NULL, messages int8 NOT NULL, bytes int8 NOT NULL, PRIMARY KEY (application, day)
        ) WITH (fillfactor = 50);
        """ + MessageUsageStatements.recount,
        PartitionMigration.statements(
            table: "message", column: "timetoken", key: "application, channel, timetoken", former: ["timetoken", "expires"],
            indexes: """
                CREATE INDEX message_timetoken ON message (timetoken);
                CREATE INDEX message_expires ON message (expires);
                """),
        // An index of each application's messages in histories by timetoken, from which the oldest messages are deleted.
        "CREATE INDEX IF NOT EXISTS message_history ON message (application, timetoken) WHERE stored",
    ]
}
