import Identifiers
import ServerStorage
import WireCoding

/// The description of an uploaded file, without its content. A pure value.
struct StoredFile: Hashable, Sendable {
    /// A random id that the server generates for one upload.
    var id: Identifier
    var channel: Identifier
    var name: Identifier
    /// The size of the content in bytes.
    var size: Int
    /// When the file was stored, in units of 100 ns since 1970.
    var created: UInt64

    /// The file's position in lists of files. No two files have the same position.
    var place: FilePlace { FilePlace(created: created, id: id) }

    /// The largest length of a file name in bytes.
    static let maximumName = 255

    /// Whether a file name is allowed. The name becomes part of URLs, and clients may use it as the name of a local file.
    static func isValid(name: String) -> Bool {
        (1...maximumName).contains(name.utf8.count) && ![".", ".."].contains(name)
            && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\") }
    }
}

/// The position of a file in the order of uploads.
struct FilePlace: Hashable, Comparable, Sendable {
    var created: UInt64
    var id: Identifier

    init(created: UInt64, id: Identifier) {
        self.created = created
        self.id = id
    }

    static func < (left: FilePlace, right: FilePlace) -> Bool { (left.created, left.id) < (right.created, right.id) }

    /// The value of `next` in a list that ends with this file.
    var cursor: String { "\(created).\(id.text)" }

    init?(cursor: String) {
        guard let dot = cursor.utf8.firstIndex(of: UInt8(ascii: ".")), let created = UInt64(cursor[..<dot]) else { return nil }
        self.init(created: created, id: Identifier(cursor[cursor.utf8.index(after: dot)...]))
    }
}

// MARK: - Records

extension StoredFile {
    /// The file as a record for the store.
    var record: KeysetRecord {
        KeysetRecord(
            key,
            JSONBody.object { body in
                body.member("channel", channel.text)
                body.member("name", name.text)
                body.member("size", size)
                body.member("created", String(created))
            })
    }

    var key: KeysetRecord.Key { Self.key(of: id) }

    /// The key of a file's record.
    static func key(of id: Identifier) -> KeysetRecord.Key { KeysetRecord.Key(.file, Array(id.utf8)) }

    /// Reads a file from a record; nil for a record of another kind, and for a malformed record.
    init?(_ record: KeysetRecord) {
        guard record.key.kind == .file, let id = String(validating: record.key.name, as: UTF8.self),
            let value = try? JSONText(bytes: record.value), let channel = value["channel"]?.string,
            let name = value["name"]?.string, let size = value["size"]?.integer,
            let created = value["created"]?.string.flatMap({ UInt64($0) })
        else { return nil }
        self.init(
            id: Identifier(id), channel: Identifier(channel), name: Identifier(name), size: size, created: created)
    }
}
