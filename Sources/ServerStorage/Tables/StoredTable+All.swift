extension StoredTable {
    /// All tables, in the order in which they are copied. If a row refers to other rows, these are copied before it.
    package static let all: [StoredTable] = [
        OfMessages.message, OfMessages.action, OfMessages.groupChannel, OfMessages.access, OfMessages.record,
        OfMessages.reservation,
        OfChat.event, OfChat.reader, OfChat.inbox, OfChat.inboxEntry, OfChat.receipt, OfChat.hidden, OfChat.hiddenUpTo,
        OfChat.document,
        OfChat.reservation, OfChat.life,
        OfApplications.application, OfApplications.change,
    ]

    /// The tables with PubNub's messages and other PubNub data.
    package enum OfMessages {
        package static let message = StoredTable(
            .messages, "message", key: ["application": .text, "channel": .text, "timetoken": .integer],
            [
                "publisher": .text, "payload": .bytes, "metadata": .bytes, "kind": .integer, "custom_type": .text,
                "sequence": .integer, "origination": .integer, "stored": .integer, "expires": .integer,
            ])
        package static let action = StoredTable(
            .messages, "message_action", key: ["application": .text, "channel": .text, "timetoken": .integer],
            ["message": .integer, "type": .bytes, "value": .bytes, "author": .bytes])
        package static let groupChannel = StoredTable(
            .messages, "group_channel", key: ["application": .text, "name": .text, "position": .integer], ["channel": .text])
        /// Entries of the access manager. The key `id` gives their order.
        package static let access = StoredTable(
            .messages, "access", key: ["id": .integer],
            [
                "application": .text, "kind": .integer, "name": .bytes, "holder": .bytes, "rights": .integer, "ttl": .integer,
                "expires": .integer,
            ], .numbered)
        /// Records of App Context, of push registrations, and of files.
        package static let record = StoredTable(
            .messages, "record", key: ["application": .text, "kind": .integer, "name": .bytes], ["value": .bytes])
        package static let reservation = StoredTable(
            .messages, "reservation", key: ["id": .integer], ["timetoken": .integer], .limit)
    }

    /// The tables with chat's events, inboxes and documents.
    package enum OfChat {
        package static let event = StoredTable(
            .chat, "event", key: ["id": .integer],
            [
                "application": .text, "conversation": .text, "sender": .text, "client_id": .text, "own_sequence": .integer,
                "audience": .integer, "body": .bytes,
            ])
        package static let reader = StoredTable(.chat, "reader", key: ["event": .integer, "name": .text])
        /// The inboxes that have a last or acknowledged position. All other inboxes are created together with their entries.
        package static let inbox = StoredTable(
            .chat, "inbox", key: ["application": .text, "name": .text], ["last": .integer, "acknowledged": .integer])
        package static let inboxEntry = StoredTable(
            .chat, "inbox_entry", key: ["application": .text, "name": .text, "sequence": .integer], ["event": .integer])
        /// Read receipts. The key `id` gives their order.
        package static let receipt = StoredTable(
            .chat, "receipt", key: ["id": .integer], ["event": .integer, "reader": .text, "time": .integer], .numbered)
        package static let hidden = StoredTable(.chat, "hidden", key: ["event": .integer, "name": .text])
        package static let hiddenUpTo = StoredTable(
            .chat, "hidden_up_to", key: ["application": .text, "name": .text, "conversation": .text], ["event": .integer])
        package static let document = StoredTable(
            .chat, "document", key: ["application": .text, "kind": .text, "name": .text], ["value": .bytes])
        package static let reservation = StoredTable(
            .chat, "reservation", key: ["id": .integer], ["timetoken": .integer], .limit)
        package static let life = StoredTable(.chat, "life", key: ["id": .integer], ["epoch": .text], .initial)
    }

    /// The tables of applications that were created at run time.
    package enum OfApplications {
        package static let application = StoredTable(.applications, "application", key: ["name": .text], ["body": .bytes])
        package static let change = StoredTable(.applications, "change", key: ["id": .integer], ["number": .integer], .limit)
    }
}
