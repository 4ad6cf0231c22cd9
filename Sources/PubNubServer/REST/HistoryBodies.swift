import ServerStorage
import WireCoding

/// Encodes the answers of the history service (rules PV-40 to PV-47).
enum HistoryBodies {
    /// The optional fields of each message that a request of API version 2 selects.
    struct PastFields: Hashable {
        var token = false
        var meta = false
        /// Whether timetokens are strings, because JavaScript rounds such large numbers.
        var stringTokens = false
    }

    /// The optional fields of each message that a request of API version 3 selects.
    struct Fields: Hashable {
        var meta = false
        var user = false
        var kind = false
        var customType = false
        var encodesChannels = true
    }

    /// The answer of API version 2: `[[…],first,last]`, where `first` and `last` are timetokens.
    static func past(_ messages: [StoredMessage], _ fields: PastFields) -> [UInt8] {
        var body = JSONBody(isSpaced: false)
        body.array { body in
            body.array { body in
                for message in messages { append(message, fields: fields, to: &body) }
            }
            guard let first = messages.first, let last = messages.last else {
                body.number(0)
                body.number(0)
                return
            }
            append(first.timetoken, asString: fields.stringTokens, to: &body)
            append(last.timetoken, asString: fields.stringTokens, to: &body)
        }
        return body.bytes
    }

    private static func append(_ message: StoredMessage, fields: PastFields, to body: inout JSONBody) {
        guard fields.token || fields.meta else { return body.json(message.payload) }
        body.object { body in
            body.key("message")
            body.json(message.payload)
            if fields.meta {
                body.key("meta")
                append(meta: message.metadata, to: &body)
            }
            if fields.token {
                body.key("timetoken")
                append(message.timetoken, asString: fields.stringTokens, to: &body)
            }
        }
    }

    /// The answer of API version 3. Channels without messages are left out.
    ///
    /// - Parameters:
    ///   - more: channels whose messages exceed the size of one answer, each with the position of the next page.
    ///   - isSingle: whether the request names one channel. `more` then has the format of history with actions, otherwise that of
    ///     message counts, by channel.
    static func pages(_ channels: [HistoryAnswerPage], _ fields: Fields, more: [More], isSingle: Bool) -> [UInt8] {
        JSONBody.object { body in
            body.member("status", 200)
            body.member("error", false)
            body.member("error_message", "")
            body.key("channels")
            body.object { body in
                for page in channels where !page.messages.isEmpty {
                    append(page.channel, page.messages, fields: fields, actions: nil, to: &body)
                }
            }
            guard let first = more.first else { return }
            body.key("more")
            if isSingle { return append(first, to: &body) }
            body.object { body in
                for more in more {
                    body.key(fields.encodesChannels ? PercentEncoding.encode(more.channel) : more.channel)
                    append(more, to: &body)
                }
            }
        }
    }

    private static func append(_ more: More, to body: inout JSONBody) {
        body.object { body in
            body.member("url", more.url)
            if let start = more.start { body.member("start", String(start)) }
            body.member("max", more.limit)
        }
    }

    /// The answer with the messages of one channel and their actions.
    ///
    /// - Parameters:
    ///   - actions: the JSON value for `"actions":` of a message; nil when it has none.
    ///   - more: the position of the next page; nil when there is none.
    static func withActions(
        _ channel: String, _ messages: [StoredMessage], fields: Fields, actions: @escaping (StoredMessage) -> [UInt8]?,
        more: More?
    ) -> [UInt8] {
        JSONBody.object { body in
            body.member("status", 200)
            body.key("channels")
            body.object { body in
                if !messages.isEmpty { append(channel, messages, fields: fields, actions: actions, to: &body) }
            }
            body.member("error_message", "")
            body.member("error", false)
            guard let more else { return }
            body.key("more")
            append(more, to: &body)
        }
    }

    /// The position in a channel's history at which the next page begins.
    struct More {
        var channel: String
        var url: String
        /// The timetoken before which the next page begins; nil to begin at the newest message.
        var start: UInt64?
        var limit: Int
    }

    static let deleted = JSONBody.object { body in
        body.member("status", 200)
        body.member("error", false)
        body.member("error_message", "")
    }

    static func counts(_ counts: [(channel: String, count: Int)]) -> [UInt8] {
        JSONBody.object { body in
            body.member("status", 200)
            body.member("error", false)
            body.member("error_message", "")
            body.key("channels")
            body.object { body in
                for (channel, count) in counts { body.member(channel, count) }
            }
        }
    }

    private static func append(
        _ channel: String, _ messages: [StoredMessage], fields: Fields, actions: ((StoredMessage) -> [UInt8]?)?,
        to body: inout JSONBody
    ) {
        body.key(fields.encodesChannels ? PercentEncoding.encode(channel) : channel)
        body.array { body in
            for message in messages { append(message, fields: fields, actions: actions?(message), to: &body) }
        }
    }

    private static func append(_ message: StoredMessage, fields: Fields, actions: [UInt8]?, to body: inout JSONBody) {
        body.object { body in
            body.key("message")
            body.json(message.payload)
            body.key("timetoken")
            append(message.timetoken, asString: true, to: &body)
            if fields.meta {
                body.key("meta")
                append(meta: message.metadata, to: &body)
            }
            if fields.user { body.member("uuid", message.publisher ?? "") }
            if fields.kind {
                body.key("message_type")
                if message.kind == 0 { body.json("null") } else { body.number(message.kind) }
            }
            if fields.customType, let customType = message.customType { body.member("custom_message_type", customType) }
            if let actions {
                body.key("actions")
                body.json(actions)
            }
        }
    }

    private static func append(meta: [UInt8]?, to body: inout JSONBody) {
        if let meta { body.json(meta) } else { body.string("") }
    }

    private static func append(_ token: UInt64, asString: Bool, to body: inout JSONBody) {
        if asString { body.string(String(token)) } else { body.json(Array(String(token).utf8)) }
    }
}
