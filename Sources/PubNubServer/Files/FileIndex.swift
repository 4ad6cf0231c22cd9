import Identifiers

/// The files of a keyset by channel and age, without their contents (rules FI-1 to FI-7). A pure value.
///
/// A new file counts towards the limits from ``begin(_:storage:)`` on. It can be found from ``finish(_:)`` on, which is called when the
/// file is stored.
struct FileIndex: Sendable {
    /// The largest number of files of a keyset, including files that are being stored.
    static let maximumFiles = 100_000

    enum Beginning: Hashable, Sendable {
        case begun
        /// The file is stored already.
        case known
        /// Another request is storing the file.
        case busy
        /// The keyset has reached its limit of files or bytes.
        case full
    }

    private var files: [Identifier: StoredFile] = [:]
    private var channels: [Identifier: [FilePlace]] = [:]
    /// The place of each file in the order of uploads, oldest first.
    private var order: [FilePlace] = []
    private var coming: [Identifier: Int] = [:]
    /// Files that are being deleted. Until the store has deleted their records, they are listed and count towards the limits.
    private var going: Set<Identifier> = []
    /// The total size in bytes of files and of uploads in progress.
    private(set) var bytes = 0

    init(restoring restored: some Sequence<StoredFile> = []) {
        let sorted = restored.sorted { $0.place < $1.place }
        for file in sorted { insert(file) }
    }

    var count: Int { files.count + coming.count }

    /// Reserves room for a file that is about to be stored.
    ///
    /// - Parameter storage: the largest size of all files together, in bytes.
    mutating func begin(_ file: StoredFile, storage: Int) -> Beginning {
        guard files[file.id] == nil else { return .known }
        guard coming[file.id] == nil else { return .busy }
        guard hasRoom(for: file.size, storage: storage) else { return .full }
        coming[file.id] = file.size
        bytes += file.size
        return .begun
    }

    func hasRoom(for size: Int, storage: Int) -> Bool { count < Self.maximumFiles && bytes + size <= storage }

    /// Adds a stored file, which can be found from now on.
    mutating func finish(_ file: StoredFile) {
        abandon(file.id)
        insert(file)
    }

    /// Releases the room that was reserved for a file, because the file could not be stored.
    mutating func abandon(_ id: Identifier) {
        if let size = coming.removeValue(forKey: id) { bytes -= size }
    }

    private mutating func insert(_ file: StoredFile) {
        guard files.updateValue(file, forKey: file.id) == nil else { return }
        bytes += file.size
        var places = channels.removeValue(forKey: file.channel) ?? []
        places.insert(file.place, at: Self.index(of: file.place, in: places))
        channels[file.channel] = places
        let index = Self.index(of: file.place, in: order)
        order.insert(file.place, at: index)
    }

    subscript(id: Identifier) -> StoredFile? { files[id] }

    /// Marks a file as being deleted. Returns false when another request is already deleting it.
    mutating func beginRemoval(of id: Identifier) -> Bool { going.insert(id).inserted }

    /// Ends the deletion of a file. If the deletion has succeeded, `isForgotten` is true and the file is removed from the index.
    mutating func endRemoval(of id: Identifier, isForgotten: Bool) {
        going.remove(id)
        guard isForgotten, let file = files.removeValue(forKey: id) else { return }
        bytes -= file.size
        var places = channels.removeValue(forKey: file.channel) ?? []
        Self.remove(file.place, from: &places)
        channels[file.channel] = places.isEmpty ? nil : places
        Self.remove(file.place, from: &order)
    }

    /// Up to `limit` files of a channel after `start`, newest first, and the position at which the next page starts; nil on the last page.
    func page(of channel: Identifier, after start: FilePlace?, limit: Int) -> (files: [StoredFile], next: FilePlace?) {
        let places = channels[channel] ?? []
        let end = start.map { Self.index(of: $0, in: places) } ?? places.count
        let page = places.prefix(end).suffix(limit)
        return (page.reversed().compactMap { files[$0.id] }, page.startIndex > 0 ? page.first : nil)
    }

    /// Up to `count` of the files that were created before the timetoken `limit`, oldest first.
    func expired(before limit: UInt64, count: Int) -> [Identifier] {
        order.prefix(count).prefix { $0.created < limit }.map(\.id)
    }

    private static func remove(_ place: FilePlace, from places: inout [FilePlace]) {
        let index = index(of: place, in: places)
        if index < places.count, places[index] == place { places.remove(at: index) }
    }

    /// The index of the first file position in an ascending list that is not before `place`.
    private static func index(of place: FilePlace, in places: [FilePlace]) -> Int {
        // A new file is nearly always the newest one, so its position is the end of the list and needs no search.
        if let last = places.last, last < place { return places.count }
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle] < place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
