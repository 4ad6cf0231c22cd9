extension StoredTable {
    /// All tables, in the order in which they are copied: a row comes after those that it refers to.
    package static let all = messages + chat + applications

    private static let messages: [StoredTable] = [
        StoredTable(
            .messages, "message", key: ["application": .text, "channel": .text, "timetoken": .integer],
            [
                "publisher": .text, "payload": .bytes, "metadata": .bytes, "kind": .integer, "custom_type": .text,
                "sequence": .integer, "origination": .integer, "stored": .integer, "expires": .integer,
            ]),
        StoredTable(
            .messages, "message_action", key: ["application": .text, "channel": .text, "timetoken": .integer],
            ["message": .integer, "type": .bytes, "value": .bytes, "author": .bytes]),
        StoredTable(
            .messages, "group_channel", key: ["application": .text, "name": .text, "position": .integer], ["channel": .text]),
        // The number is the order of the entries.
        StoredTable(
            .messages, "access", key: ["id": .integer],
            [
                "application": .text, "kind": .integer, "name": .bytes, "holder": .bytes, "rights": .integer, "ttl": .integer,
                "expires": .integer,
            ], .numbered),
        // App Context, push registrations, and the records of files.
        StoredTable(
            .messages, "record", key: ["application": .text, "kind": .integer, "name": .bytes], ["value": .bytes]),
        StoredTable(.messages, "reservation", key: ["id": .integer], ["timetoken": .integer], .limit),
    ]

    private static let chat: [StoredTable] = [
        StoredTable(
            .chat, "event", key: ["id": .integer],
            [
                "application": .text, "conversation": .text, "sender": .text, "client_id": .text, "own_sequence": .integer,
                "audience": .integer, "body": .bytes,
            ]),
        StoredTable(.chat, "reader", key: ["event": .integer, "name": .text]),
        // Only those with a number: the others are made with their entries.
        StoredTable(
            .chat, "inbox", key: ["application": .text, "name": .text], ["last": .integer, "acknowledged": .integer]),
        StoredTable(
            .chat, "inbox_entry", key: ["application": .text, "name": .text, "sequence": .integer], ["event": .integer]),
        // The number is the order of the receipts.
        StoredTable(
            .chat, "receipt", key: ["id": .integer], ["event": .integer, "reader": .text, "time": .integer], .numbered),
        StoredTable(.chat, "hidden", key: ["event": .integer, "name": .text]),
        StoredTable(
            .chat, "hidden_up_to", key: ["application": .text, "name": .text, "conversation": .text], ["event": .integer]),
        StoredTable(.chat, "document", key: ["application": .text, "kind": .text, "name": .text], ["value": .bytes]),
        StoredTable(.chat, "reservation", key: ["id": .integer], ["timetoken": .integer], .limit),
        StoredTable(.chat, "life", key: ["id": .integer], ["epoch": .text], .initial),
    ]

    private static let applications: [StoredTable] = [
        StoredTable(.applications, "application", key: ["name": .text], ["body": .bytes]),
        StoredTable(.applications, "change", key: ["id": .integer], ["number": .integer], .limit),
    ]
}
