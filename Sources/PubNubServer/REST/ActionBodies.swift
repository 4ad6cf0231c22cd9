import Identifiers
import OrderedCollections
import ServerStorage

/// Encodes the answers and events of message actions (rules PV-70 to PV-73).
enum ActionBodies {
    static func added(_ action: MessageAction) -> [UInt8] {
        JSONBody.object(isSpaced: true) { body in
            body.member("status", 200)
            body.key("data")
            append(action, to: &body)
        }
    }

    /// - Parameter more: the position of the next page; nil when there is none.
    static func page(_ actions: [MessageAction], more: (url: String, start: UInt64, end: UInt64?, limit: Int)?) -> [UInt8] {
        JSONBody.object(isSpaced: true) { body in
            body.member("status", 200)
            body.key("data")
            body.array { body in for action in actions { append(action, to: &body) } }
            guard let more else { return }
            body.key("more")
            body.object { body in
                body.member("url", more.url)
                body.member("start", String(more.start))
                if let end = more.end { body.member("end", String(end)) }
                body.member("limit", more.limit)
            }
        }
    }

    static let removed = JSONBody.object(isSpaced: true) { body in
        body.member("status", 200)
        body.key("data")
        body.object { _ in }
    }

    static func refusal(_ status: Int, _ message: String) -> [UInt8] {
        JSONBody.object(isSpaced: true) { body in
            body.member("status", status)
            body.key("error")
            body.object { body in
                body.member("source", "actions")
                body.member("message", message)
            }
        }
    }

    /// The error answer when a field of the request is missing or invalid.
    static func invalid(_ problem: String, _ field: String, in place: String) -> [UInt8] {
        JSONBody.object(isSpaced: true) { body in
            body.member("status", 400)
            body.key("error")
            body.object { body in
                body.member("source", "actions")
                body.member("message", "Request payload contained invalid input.")
                body.key("details")
                body.array { body in
                    body.object { body in
                        body.member("message", problem)
                        body.member("location", field)
                        body.member("locationType", place)
                    }
                }
            }
        }
    }

    /// The event that tells subscribers of the channel that an action was added or removed.
    static func event(_ change: MessageActionChange) -> [UInt8] {
        let (action, event) =
            switch change {
            case .added(let action): (action, "added")
            case .removed(let action): (action, "removed")
            }
        return JSONBody.object { body in
            body.member("source", "actions")
            body.member("version", "1.0")
            body.key("data")
            body.object { body in
                body.member("messageTimetoken", String(action.message))
                body.member("type", action.type)
                body.member("value", action.value)
                body.member("actionTimetoken", String(action.timetoken))
            }
            body.member("event", event)
        }
    }

    /// The actions of a message in the format of history answers: `{"<type>":{"<value>":[{"uuid":"u","actionTimetoken":"15…"}]}}`.
    static func grouped(_ actions: [MessageAction]) -> [UInt8] {
        let types = OrderedDictionary(grouping: actions, by: { Identifier($0.type) })
        return JSONBody.object { body in
            for (type, actions) in types {
                body.key(type.text)
                body.object { body in
                    for (value, actions) in OrderedDictionary(grouping: actions, by: { Identifier($0.value) }) {
                        body.key(value.text)
                        body.array { body in
                            for action in actions {
                                body.object { body in
                                    body.member("uuid", action.user)
                                    body.member("actionTimetoken", String(action.timetoken))
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    private static func append(_ action: MessageAction, to body: inout JSONBody) {
        body.object { body in
            body.member("type", action.type)
            body.member("value", action.value)
            body.member("uuid", action.user)
            body.member("actionTimetoken", String(action.timetoken))
            body.member("messageTimetoken", String(action.message))
        }
    }
}
