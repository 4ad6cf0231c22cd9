/// A variable that has the prefix of settings and is not a setting (rule SO-2).
struct StrayVariable: Hashable, Sendable {
    let name: String

    /// The longest name; longer names belong to other programs.
    private static let longest = 80

    /// The stray ones of an environment, in the order of their names.
    ///
    /// - Parameter known: the names of the variables of settings.
    static func all(
        in environment: [String: String], known: Set<String> = ServerSetting.variables
    ) -> [StrayVariable] {
        environment.keys.filter { $0.hasPrefix("LIFELINE_") && !known.contains($0) }.sorted().map {
            StrayVariable(name: $0)
        }
    }

    /// The warning: the variable's name, and the setting that was probably intended.
    var text: String {
        "the variable \(name.printable) is not a setting" + (nearest.map { "; did you mean \($0)?" } ?? "")
    }

    /// The most similar variable of a setting, with at most one different character in six; nil when there is none.
    var nearest: String? {
        guard name.utf8.count <= Self.longest else { return nil }
        let most = min(max(name.utf8.count / 6, 2), 4)
        return ServerSetting.variables
            .map { (distance: Self.distance(Array(name.utf8), Array($0.utf8)), name: $0) }
            .filter { $0.distance <= most }
            .min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
    }

    /// The edit distance: how many characters have to be inserted, removed, replaced or exchanged with their neighbour to turn one text
    /// into the other.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var next = [row + 1]
            for (column, other) in right.enumerated() {
                var cost = min(last[column + 1] + 1, next[column] + 1, last[column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                next.append(cost)
            }
            (beforeLast, last) = (last, next)
        }
        return last[right.count]
    }
}
