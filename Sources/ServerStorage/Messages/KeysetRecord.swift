/// A value that belongs to an application and survives a restart: metadata of a user or channel, a membership, a device for push
/// notifications, or a file.
///
/// A store neither reads nor changes names and values: both are bytes that only the server interprets. Values are JSON.
public struct KeysetRecord: Hashable, Sendable {
    /// Identifies a record among those of its application. Another record with the same key replaces it.
    public struct Key: Hashable, Sendable {
        /// The kinds of records. The raw values are written to disk.
        public enum Kind: Int, CaseIterable, Hashable, Sendable {
            /// Metadata of a user. The name is the user's id.
            case user = 1
            /// Metadata of a channel. The name is the channel's.
            case channel = 2
            /// A user's membership of a channel.
            case membership = 3
            /// A device for push notifications, with its channels.
            case pushDevice = 4
            /// A file of a channel.
            case file = 5
        }

        /// The kind of record.
        public var kind: Kind
        /// The name among the records of the kind, compared by its bytes.
        public var name: [UInt8]

        /// The key of a record.
        public init(_ kind: Kind, _ name: [UInt8]) {
            self.kind = kind
            self.name = name
        }
    }

    /// The record's key.
    public var key: Key
    /// The stored value.
    public var value: [UInt8]

    /// A record with a key and a value.
    public init(_ key: Key, _ value: [UInt8]) {
        self.key = key
        self.value = value
    }
}

/// A change of one record of an application.
public enum KeysetRecordChange: Hashable, Sendable {
    /// Stores a record, which replaces the one with the same key.
    case put(KeysetRecord)
    /// Removes the record with a key, if there is one.
    case remove(KeysetRecord.Key)

    /// The approximate size in bytes.
    public var size: Int {
        switch self {
        case .put(let record): record.key.name.count + record.value.count
        case .remove(let key): key.name.count
        }
    }
}

/// The error of a store that does not implement records (``MessageStore/commit(_:with:application:completion:)``).
public struct RecordsNotSupported: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error.
    public init() {}

    public var description: String { "the message store keeps no records: implement `commit` and restore them" }
}
