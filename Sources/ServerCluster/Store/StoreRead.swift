import NIOCore

/// A question about the stored data of a cluster. A store engine turns it into its own commands. ``ClusterReader`` has a method for each
/// question. The method converts the answer to a Swift type.
package enum StoreRead: Hashable, Sendable {
    // Values. The answers are `bytes`, `list` and `number`, in the order of these three cases.
    case value(StoreKey)
    case values([StoreKey])
    /// The number of bytes of a single value.
    case length(StoreKey)

    // Maps. The answers are `bytes`, `list`, `number` (1 or 0), `list`, and twice `fields`, in the order of these cases.
    case field(StoreKey, StoreWord)
    case fields(StoreKey, [StoreWord])
    case hasField(StoreKey, StoreWord)
    case fieldNames(StoreKey)
    case allFields(StoreKey)
    /// Reads about `count` fields of a map: the first ones, or those that follow the page with the cursor `after`. A field may be in two
    /// pages if the map is changed in between.
    case page(StoreKey, after: String?, count: Int)

    /// Reads about `count` keys whose names begin with a text: the first ones, or those that follow the page with the cursor `after`. A key
    /// may be in two pages. The answer is `keys`.
    case keys(beginningWith: StoreKey, after: String?, count: Int)

    // Sets. The answers are `list` and `number` (1 or 0), in the order of these cases.
    case members(StoreKey)
    case hasMember(StoreKey, StoreWord)

    /// Members of a sorted set between two scores, which are included, in the order of their scores. The answer is a `list`.
    case ranked(StoreKey, from: Int64?, to: Int64?, skipping: Int, limit: Int)

    // Entries of a stream between two numbers, which are included. Nil means the first or the last entry of the stream. The answer is
    // `entries`.
    case entries(StoreKey, from: UInt64?, to: UInt64?, isOldestFirst: Bool, limit: Int)
    /// The numbers of the oldest entries of a stream between two numbers, which are included. The answer is `numbers`.
    case entryNumbers(StoreKey, from: UInt64, to: UInt64, limit: Int)
    /// Counts the next `limit` entries of a stream after a number. The answer is a `count`: the number of these entries, the number of
    /// those that have not expired, and the number of the last one. An entry has not expired if it has no field ``expiryField``, or one
    /// whose text is greater than `time` in the order of bytes.
    case liveEntries(StoreKey, after: UInt64, at: String, limit: Int)
    /// The number of entries of each of several streams. The answer is `numbers`.
    case entryCounts([StoreKey])

    /// The name of the field of a stream's entry with its expiry time, as a text whose order by bytes is the order of times.
    package static let expiryField: StoreWord = "e"
}

/// The answer to a ``StoreRead``.
package enum StoreAnswer: Hashable, Sendable {
    /// There is no data under the key. This may be the answer to any question.
    case nothing
    case bytes(ByteBuffer)
    case number(Int64)
    /// The elements in the order of the question, with nil for data that does not exist.
    case list([ByteBuffer?])
    case numbers([UInt64])
    case keys([StoreKey], next: String?)
    /// Fields of a map.
    ///
    /// - Parameter next: the cursor of the page; nil if it is the last one.
    case fields([StoredField], next: String?)
    case entries([StoredEntry])
    case count(LiveEntries)
}

/// A field of a map or of a stream's entry, as read from the store.
package struct StoredField: Hashable, Sendable {
    package var name: ByteBuffer
    package var value: ByteBuffer

    package init(_ name: ByteBuffer, _ value: ByteBuffer) {
        self.name = name
        self.value = value
    }
}

/// An entry of a stream, as read from the store.
package struct StoredEntry: Hashable, Sendable {
    package var number: UInt64
    package var fields: [StoredField]

    package init(number: UInt64, fields: [StoredField]) {
        self.number = number
        self.fields = fields
    }
}

/// The answer to ``StoreRead/liveEntries(_:after:at:limit:)``.
package struct LiveEntries: Hashable, Sendable {
    package var all: Int
    package var live: Int
    /// The number of the last entry that was counted; nil if the stream has no entries after the given number.
    package var last: UInt64?

    package init(all: Int = 0, live: Int = 0, last: UInt64? = nil) {
        self.all = all
        self.live = live
        self.last = last
    }
}

/// The reason why a store has not answered.
package enum StoreFailure: Error, Hashable, Sendable {
    /// The store refused the request with this reason. Nothing was written.
    case refused(String)
    /// The request was not sent, because the store cannot be reached or too many requests are waiting for it.
    case unavailable
    /// No answer arrived, and it is not known whether the store has performed the request.
    case unanswered
    /// The answer has another type than the question requires.
    case unexpected
}
