/// Finds the valid name that the user probably meant with an unknown name.
enum SimilarName {
    /// The name with the smallest edit distance; of several the first in alphabetical order. Nil when every distance is greater than
    /// `most`.
    static func nearest(to name: String, among names: some Sequence<String>, most: Int) -> String? {
        names
            .map { (distance: distance(Array(name.utf8), Array($0.utf8)), name: $0) }
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
