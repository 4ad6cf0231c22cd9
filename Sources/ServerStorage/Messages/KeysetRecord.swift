/// A value of a PubNub application that survives a restart: metadata of a user or channel, a membership, a device for push notifications,
/// or a file.
///
/// A store does not interpret names and values: they are bytes whose meaning only the server defines. Values are JSON.
public struct KeysetRecord: Hashable, Sendable {
    /// Identifies a record within its application. A new record with the same key replaces the old one.
    public struct Key: Hashable, Sendable {
        /// The kinds of records. The raw values are written to disk.
        public enum Kind: Int, CaseIterable, Hashable, Sendable {
            /// Metadata of a user. The record's name is the user's id.
            case user = 1
            /// Metadata of a channel. The record's name is that of the channel.
            case channel = 2
            /// A user's membership of a channel.
            case membership = 3
            /// A device for push notifications, with the channels that it is registered for.
            case pushDevice = 4
            /// A file that was sent to a channel; the record has no contents of the file.
            case file = 5
        }

        /// The kind of record.
        public var kind: Kind
        /// The record's name, unique among the records of its kind. Names are compared by their bytes.
        public var name: [UInt8]

        /// Makes the key of a record.
        public init(_ kind: Kind, _ name: [UInt8]) {
            self.kind = kind
            self.name = name
        }
    }

    /// The record's key.
    public var key: Key
    /// The stored value.
    public var value: [UInt8]

    /// Makes a record with a key and a value.
    public init(_ key: Key, _ value: [UInt8]) {
        self.key = key
        self.value = value
    }
}

/// A change of one record of an application.
public enum KeysetRecordChange: Hashable, Sendable {
    /// Stores a record, which replaces the record with the same key.
    case put(KeysetRecord)
    /// Removes the record with a key, if there is one.
    case remove(KeysetRecord.Key)

    /// The approximate size of the change in bytes.
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
