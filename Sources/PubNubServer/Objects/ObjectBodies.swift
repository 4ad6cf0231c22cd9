import Identifiers

/// Encodes App Context bodies: answers, events and the documents on which filters are evaluated. The keys have the same order as in the
/// recorded answers of PubNub's service.
enum ObjectBodies {
    static func entity(
        _ id: Identifier, _ metadata: ObjectMetadata, kind: KeysetObjects.Kind, include: Set<ObjectInclude>
    ) -> [UInt8] {
        JSONBody.object { body in
            body.member("status", 200)
            body.key("data")
            append(id, metadata, kind: kind, include: include, to: &body)
        }
    }

    static let removed = JSONBody.object { body in
        body.member("status", 200)
        body.null("data")
    }

    static func page(_ page: ObjectPage) -> [UInt8] {
        JSONBody.object { body in
            body.member("status", 200)
            body.key("data")
            body.array { body in for element in page.elements { body.json(element) } }
            if let count = page.totalCount { body.member("totalCount", count) }
            if let next = page.next { body.member("next", next) }
            if let previous = page.previous { body.member("prev", previous) }
        }
    }

    static func element(_ item: ObjectItem, _ list: ObjectList, include: Set<ObjectInclude>) -> [UInt8] {
        var body = JSONBody(isSpaced: false)
        switch list {
        case .users: append(item.id, item.metadata, kind: .user, include: include, to: &body)
        case .channels: append(item.id, item.metadata, kind: .channel, include: include, to: &body)
        case .memberships, .members:
            let kind = list.otherKind
            body.object { body in
                body.key(kind.key)
                let nested = include.nested
                if !nested.isEmpty, let metadata = item.other {
                    append(item.id, metadata, kind: kind, include: nested, to: &body)
                } else {
                    body.object { body in body.member("id", item.id.text) }
                }
                appendVersion(item.metadata, include, to: &body)
            }
        }
        return body.bytes
    }

    /// An element with all its fields, on which filters are evaluated.
    static func whole(_ item: ObjectItem, _ list: ObjectList) -> [UInt8] {
        element(item, list, include: Set(ObjectInclude.allCases))
    }

    private static func append(
        _ id: Identifier, _ metadata: ObjectMetadata, kind: KeysetObjects.Kind, include: Set<ObjectInclude>,
        to body: inout JSONBody
    ) {
        body.object { body in
            body.member("id", id.text)
            for field in kind.fields { append(field, metadata, to: &body) }
            appendVersion(metadata, include, to: &body)
        }
    }

    private static func appendVersion(_ metadata: ObjectMetadata, _ include: Set<ObjectInclude>, to body: inout JSONBody) {
        if include.contains(.custom) {
            if let custom = metadata.content.custom { body.member("custom", custom) } else { body.null("custom") }
        }
        if include.contains(.status) { append(.status, metadata, to: &body) }
        if include.contains(.type) { append(.type, metadata, to: &body) }
        body.member("updated", ObjectTime.text(metadata.updated))
        body.member("eTag", metadata.eTag)
    }

    private static func append(_ field: ObjectField, _ metadata: ObjectMetadata, to body: inout JSONBody) {
        if let text = metadata.content[field] { body.member(field.rawValue, text) } else { body.null(field.rawValue) }
    }

    // MARK: Events

    /// The event for subscribers. It contains only the fields that have a value.
    static func event(_ change: ObjectChange) -> [UInt8] {
        let type =
            switch change.target {
            case .user: "uuid"
            case .channel: "channel"
            case .membership: "membership"
            }
        return JSONBody.object { body in
            body.member("source", "objects")
            body.member("version", "2.0")
            body.member("event", change.metadata == nil ? "delete" : "set")
            body.member("type", type)
            body.key("data")
            body.object { body in
                switch change.target {
                case .user(let id), .channel(let id): body.member("id", id.text)
                case .membership(let user, let channel):
                    for (key, id) in [("channel", channel), ("uuid", user)] {
                        body.key(key)
                        body.object { body in body.member("id", id.text) }
                    }
                }
                guard let metadata = change.metadata else { return }
                for field in ObjectField.allCases {
                    if let text = metadata.content[field] { body.member(field.rawValue, text) }
                }
                if let custom = metadata.content.custom { body.member("custom", custom) }
                body.member("updated", ObjectTime.text(metadata.updated))
                body.member("eTag", metadata.eTag)
            }
        }
    }
}

extension KeysetObjects.Kind {
    /// The name of the kind in requests and answers.
    var key: String { self == .user ? "uuid" : "channel" }
}
