import Crypto
import Identifiers
import PubNubProtocol
import WireCoding

/// A text field of App Context, in the order of answers.
enum ObjectField: String, CaseIterable, Hashable, Sendable {
    case name
    case externalId
    case profileUrl
    case email
    case description
    case status
    case type

    /// The fields of a user that every answer has. `status` and `type` are included only on request.
    static let ofUsers: [ObjectField] = [.name, .externalId, .profileUrl, .email]
    static let ofChannels: [ObjectField] = [.name, .description]
    static let optional: [ObjectField] = [.status, .type]
}

/// The data of a user, a channel or a membership (rules PO-2 and PO-3). A pure value.
struct ObjectContent: Hashable, Sendable {
    private(set) var texts: [ObjectField: String] = [:]
    /// The custom fields, a JSON object as received.
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

    /// Whether both have the same bytes. Texts that are equal under Unicode may differ in their bytes.
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

    /// The bytes of the texts and custom fields (``ObjectLimits/record``).
    var textBytes: Int { texts.values.reduce(custom?.text.utf8.count ?? 0) { $0 + $1.utf8.count } }

    /// The approximate size in bytes.
    var size: Int { texts.values.reduce(custom?.text.utf8.count ?? 0) { $0 + $1.utf8.count + 16 } }

    fileprivate func write(to body: inout JSONBody) {
        for field in ObjectField.allCases {
            if let text = texts[field] { body.member(field.rawValue, text) }
        }
        if let custom { body.member("custom", custom) }
    }
}

/// The fields that a call sets for a user, a channel or a membership.
struct ObjectPatch: Hashable, Sendable {
    enum Custom: Hashable, Sendable {
        case keep
        case clear
        case put(JSONText)
    }

    /// New texts; nil removes a text.
    var texts: [ObjectField: String?] = [:]
    var custom = Custom.keep
}

/// The content with its version.
struct ObjectMetadata: Hashable, Sendable {
    let content: ObjectContent
    /// The time of the last change, in units of 100 ns since 1970.
    let updated: UInt64
    /// A tag that is the same for equal content (rule PO-6).
    let eTag: String

    init(_ content: ObjectContent, updated: UInt64) {
        self.content = content
        self.updated = updated
        eTag = Self.eTag(content)
    }

    /// Whether an `If-Match` condition names this version; `*` names any version.
    func isVersion(_ name: String) -> Bool { name.isExactly("*") || name.isExactly(eTag) }

    /// 80 bits of a digest of the content, in the alphabet of URLs.
    private static func eTag(_ content: ObjectContent) -> String {
        let digest = SHA256.hash(data: JSONBody.object { content.write(to: &$0) })
        return Base64URL.text(Array(digest.prefix(10)), isPadded: false)
    }

    // MARK: Records

    /// The encoded value of the record.
    var record: [UInt8] {
        JSONBody.object { body in
            content.write(to: &body)
            body.member("updated", String(updated))
        }
    }

    /// - Parameter record: the value of a record; the result is nil when it is malformed.
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
