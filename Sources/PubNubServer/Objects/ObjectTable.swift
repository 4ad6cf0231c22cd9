import Identifiers

/// Metadata by id, with a sorted list of the ids. A pure value.
struct ObjectTable: Sendable {
    private(set) var values: [Identifier: ObjectMetadata] = [:]
    /// The ids, in ascending order of their bytes.
    private(set) var ids: [Identifier] = []

    init() {}

    /// Makes a table from all its values. The ids are sorted once, which is faster than many insertions.
    init(_ values: [Identifier: ObjectMetadata]) {
        self.values = values
        ids = values.keys.sorted()
    }

    var count: Int { ids.count }

    subscript(id: Identifier) -> ObjectMetadata? {
        get { values[id] }
        set {
            let old = values[id]
            values[id] = newValue
            if old == nil, newValue != nil { ids.insertSorted(id) }
            if old != nil, newValue == nil { ids.removeSorted(id) }
        }
    }
}

extension [Identifier] {
    /// The index of the first id in the sorted list that is not before `id`.
    private func place(of id: Identifier) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Inserts a new id into an ascending list.
    mutating func insertSorted(_ id: Identifier) { insert(id, at: place(of: id)) }

    /// Removes an id from an ascending list, if the list contains it.
    mutating func removeSorted(_ id: Identifier) {
        let place = place(of: id)
        if place < count, self[place] == id { remove(at: place) }
    }
}
