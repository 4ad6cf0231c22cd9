import ServerValues

/// Assigns partitions to places. The places are servers that may lead the partitions, or stores.
///
/// Each partition prefers the place with the highest hash of both names (rendezvous hashing). The numbers of partitions of two places
/// differ by at most one: there are few partitions, and rendezvous hashing alone would often give one place twice its share. The result
/// depends only on the names, not on their order, so all servers with the same list of places agree (CR-51 and CR-55).
package enum PartitionPlacement {
    /// - Parameter names: the names of the places, each once.
    /// - Returns: for each partition the index of its place in `names`; empty when there are no places.
    package static func places(of partitions: ClusterPartitions, over names: [String]) -> [Int] {
        guard !names.isEmpty else { return [] }
        let share = partitions.count / names.count
        /// The number of places that still may get one partition more than `share`.
        var larger = partitions.count % names.count
        var loads = [Int](repeating: 0, count: names.count)
        return partitions.all.compactMap { partition in
            var best: (score: UInt64, place: Int)?
            for (place, name) in names.enumerated() {
                // in bounds: `loads` has an element for each name.
                guard loads[place] < share || (loads[place] == share && larger > 0) else { continue }
                let score = StableHash.of("\(partition)", name)
                if let best, (best.score, names[best.place]) >= (score, name) { continue }
                best = (score, place)
            }
            guard let best else { return nil }
            if loads[best.place] == share { larger -= 1 }
            loads[best.place] += 1
            return best.place
        }
    }
}
