import NIOCore

/// A question about what the store of a cluster keeps. A store engine turns it into commands of its own; ``ClusterReader`` has a method with
/// a type for each of them.
package enum StoreRead: Hashable, Sendable {
    // Values: `bytes`, `list` and `number` in the same order.
    case value(StoreKey)
    case values([StoreKey])
    /// The number of bytes of a value.
    case length(StoreKey)

    // Maps: `bytes`, `list`, `number` (1 or 0), `list`, and `fields` twice.
    case field(StoreKey, StoreWord)
    case fields(StoreKey, [StoreWord])
    case hasField(StoreKey, StoreWord)
    case fieldNames(StoreKey)
    case allFields(StoreKey)
    /// About `count` fields: the first ones, or those that follow the page with this cursor. A field may occur in two pages if the map
    /// is changed meanwhile.
    case page(StoreKey, after: String?, count: Int)

    /// About `count` keys whose names begin with a text: the first ones, or those that follow the page with this cursor: `keys`. A key may occur
    /// in two pages.
    case keys(beginningWith: StoreKey, after: String?, count: Int)

    // Sets: `list` and `number` (1 or 0).
    case members(StoreKey)
    case hasMember(StoreKey, StoreWord)

    /// Members of a sorted set between two scores, both included, in the order of scores: a `list`.
    case ranked(StoreKey, from: Int64?, to: Int64?, skipping: Int, limit: Int)

    // Streams.
    /// Entries between two numbers, both included; nil for the first or the last one of the stream: `entries`.
    case entries(StoreKey, from: UInt64?, to: UInt64?, isOldestFirst: Bool, limit: Int)
    /// The numbers of the oldest entries between two numbers, both included: `numbers`.
    case entryNumbers(StoreKey, from: UInt64, to: UInt64, limit: Int)
    /// Of the next `limit` entries behind a number: how many there are, how many of them have no field ``expiryField`` or one with a later
    /// text than `time`, by the order of bytes, and the number of the last one: a `count`.
    case liveEntries(StoreKey, after: UInt64, at: String, limit: Int)
    /// How many entries each of several streams has: `numbers`.
    case entryCounts([StoreKey])

    /// The field of a stream's entry with the time at which it expires, as a text whose order is that of times.
    package static let expiryField: StoreWord = "e"
}

/// The answer to a ``StoreRead``.
package enum StoreAnswer: Hashable, Sendable {
    /// There is nothing under the key. May be the answer to any question.
    case nothing
    case bytes(ByteBuffer)
    case number(Int64)
    /// In the order of the question, with nil for what there is not.
    case list([ByteBuffer?])
    case numbers([UInt64])
    case keys([StoreKey], next: String?)
    /// - Parameter next: the cursor of a page; nil if it is the last one.
    case fields([StoredField], next: String?)
    case entries([StoredEntry])
    case count(LiveEntries)
}

/// A field of a map or of a stream's entry, as read.
package struct StoredField: Hashable, Sendable {
    package var name: ByteBuffer
    package var value: ByteBuffer

    package init(_ name: ByteBuffer, _ value: ByteBuffer) {
        self.name = name
        self.value = value
    }
}

/// An entry of a stream, as read.
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
    /// The number of the last entry; nil if there is none.
    package var last: UInt64?

    package init(all: Int = 0, live: Int = 0, last: UInt64? = nil) {
        self.all = all
        self.live = live
        self.last = last
    }
}

/// Why a store has not answered.
package enum StoreFailure: Error, Hashable, Sendable {
    /// The store refused, for this reason. Nothing was written.
    case refused(String)
    /// The store was not asked, because it cannot be reached or too much waits for it.
    case unavailable
    /// There is no answer, and it is not known whether the store has performed what it was asked.
    case unanswered
    /// The answer has another form than the question asks for.
    case unexpected
}
