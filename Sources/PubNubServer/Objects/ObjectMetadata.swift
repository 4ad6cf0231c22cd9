import Crypto
import Identifiers
import PubNubProtocol
import WireCoding

/// A text field of App Context. The cases are in the order of the fields in answers.
enum ObjectField: String, CaseIterable, Hashable, Sendable {
    case name
    case externalId
    case profileUrl
    case email
    case description
    case status
    case type

    /// The fields of a user that answers contain by default; `status` and `type` are included only on request.
    static let ofUsers: [ObjectField] = [.name, .externalId, .profileUrl, .email]
    static let ofChannels: [ObjectField] = [.name, .description]
    static let optional: [ObjectField] = [.status, .type]
}

/// The texts and custom fields of a user, a channel or a membership (rules PO-2 and PO-3). A pure value.
struct ObjectContent: Hashable, Sendable {
    private(set) var texts: [ObjectField: String] = [:]
    /// The custom fields as the received JSON object; nil when there are none.
    private(set) var custom: JSONText?

    subscript(field: ObjectField) -> String? {
        get { texts[field] }
        set { texts[field] = newValue }
    }

    mutating func apply(_ patch: ObjectPatch) {
        for (field, value) in patch.texts { texts[field] = value }
        switch patch.custom {
        case .keep: break
        case .clear: custom = nil
        case .put(let value): custom = value
        }
    }

    /// Whether two contents are equal byte by byte. Texts that Swift considers equal (canonically equivalent Unicode) may have different
    /// bytes.
    func isExactly(_ other: ObjectContent) -> Bool {
        guard texts.count == other.texts.count,
            texts.allSatisfy({ field, text in other.texts[field]?.isExactly(text) == true })
        else { return false }
        return switch (custom, other.custom) {
        case (nil, nil): true
        case (let own?, let others?): own.text.isExactly(others.text)
        default: false
        }
    }

    /// The size in bytes of the texts and custom fields, which ``ObjectLimits/record`` limits.
    var textBytes: Int { texts.values.reduce(custom?.text.utf8.count ?? 0) { $0 + $1.utf8.count } }

    /// The approximate memory of the content in bytes.
    var size: Int { texts.values.reduce(custom?.text.utf8.count ?? 0) { $0 + $1.utf8.count + 16 } }

    fileprivate func write(to body: inout JSONBody) {
        for field in ObjectField.allCases {
            if let text = texts[field] { body.member(field.rawValue, text) }
        }
        if let custom { body.member("custom", custom) }
    }
}

/// The fields of a user, a channel or a membership that a request sets.
struct ObjectPatch: Hashable, Sendable {
    enum Custom: Hashable, Sendable {
        case keep
        case clear
        case put(JSONText)
    }

    /// The new value of each text; nil removes the text.
    var texts: [ObjectField: String?] = [:]
    var custom = Custom.keep
}

/// The content of a user, channel or membership, with the time of its last change and its version tag.
struct ObjectMetadata: Hashable, Sendable {
    let content: ObjectContent
    /// The time of the last change, in units of 100 ns since 1970.
    let updated: UInt64
    /// The version tag (`eTag`). Equal content has the same tag (rule PO-6).
    let eTag: String

    init(_ content: ObjectContent, updated: UInt64) {
        self.content = content
        self.updated = updated
        eTag = Self.eTag(content)
    }

    /// Whether an `If-Match` condition names this version; `*` names any version.
    func isVersion(_ name: String) -> Bool { name.isExactly("*") || name.isExactly(eTag) }

    /// The first 80 bits of the content's SHA-256 hash, in base64 for URLs.
    private static func eTag(_ content: ObjectContent) -> String {
        let digest = SHA256.hash(data: JSONBody.object { content.write(to: &$0) })
        return Base64URL.text(Array(digest.prefix(10)), isPadded: false)
    }

    // MARK: Records

    /// The metadata as the value of a record in the store.
    var record: [UInt8] {
        JSONBody.object { body in
            content.write(to: &body)
            body.member("updated", String(updated))
        }
    }

    /// - Parameter record: the value of a record in the store; the result is nil when it is malformed.
    init?(record: [UInt8]) {
        guard let json = try? JSONText(bytes: record), let members = json.members,
            let updated = json["updated"]?.string.flatMap({ UInt64($0) })
        else { return nil }
        var patch = ObjectPatch()
        for member in members {
            if let field = ObjectField(rawValue: member.key) { patch.texts[field] = member.value.string }
            if member.key.isExactly("custom") { patch.custom = .put(member.value) }
        }
        var content = ObjectContent()
        content.apply(patch)
        self.init(content, updated: updated)
    }
}

extension JSONBody {
    mutating func member(_ key: String, _ value: JSONText) {
        self.key(key)
        json(Array(value.text.utf8))
    }

    mutating func null(_ key: String) {
        self.key(key)
        json("null")
    }
}
