/// A variable that begins as settings do and is none (rule SO-2).
struct StrayVariable: Hashable, Sendable {
    let name: String

    /// Names that are longer belong to other programs.
    private static let longest = 80

    /// The stray ones of an environment, in the order of their names.
    static func all(in environment: [String: String]) -> [StrayVariable] {
        environment.keys.filter { $0.hasPrefix("LIFELINE_") && !ServerSetting.variables.contains($0) }.sorted().map {
            StrayVariable(name: $0)
        }
    }

    /// The warning: the variable's name, and the setting that was probably meant.
    var text: String {
        "the variable \(name.printable) is not a setting" + (nearest.map { "; did you mean \($0)?" } ?? "")
    }

    /// The setting's variable whose name differs in the fewest letters, at most in every sixth; nil when there is none.
    var nearest: String? {
        guard name.utf8.count <= Self.longest else { return nil }
        let most = min(max(name.utf8.count / 6, 2), 4)
        return ServerSetting.variables
            .map { (distance: Self.distance(Array(name.utf8), Array($0.utf8)), name: $0) }
            .filter { $0.distance <= most }
            .min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
    }

    /// How many letters have to be put in, taken out, replaced or exchanged with their neighbour to make one text of the other.
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
