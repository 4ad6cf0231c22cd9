import ServerValues

/// Distributes partitions over places: over the servers that may lead them, or over several stores.
///
/// Each partition prefers the place with the highest hash of both names (rendezvous hashing). No place gets more than one partition
/// more than another one, because there are few partitions, and rendezvous hashing alone would often give one place twice its share.
/// The result depends on the names only, not on their order, so all servers that know the same places agree (CR-51 and CR-55).
package enum PartitionPlacement {
    /// - Parameter names: the names of the places, each once.
    /// - Returns: for each partition the index of its place in `names`; empty when there are no places.
    package static func places(of partitions: ClusterPartitions, over names: [String]) -> [Int] {
        guard !names.isEmpty else { return [] }
        let share = partitions.count / names.count
        /// How many places may have one partition more than the others.
        var larger = partitions.count % names.count
        var loads = [Int](repeating: 0, count: names.count)
        return partitions.all.compactMap { partition in
            var best: (score: UInt64, place: Int)?
            for (place, name) in names.enumerated() {
                // in bounds: there is a load for each name.
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
