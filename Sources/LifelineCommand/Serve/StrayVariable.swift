/// An environment variable that begins like the variables of settings but belongs to no setting (rule SO-2).
struct StrayVariable: Hashable, Sendable {
    let name: String

    /// The longest name, in bytes, that is examined; longer names belong to other programs.
    private static let longest = 80

    /// The stray variables of an environment, in the order of their names.
    ///
    /// - Parameter known: the names of the variables of settings.
    static func all(
        in environment: [String: String], known: Set<String> = ServerSetting.variables
    ) -> [StrayVariable] {
        environment.keys.filter { $0.hasPrefix("LIFELINE_") && !known.contains($0) }.sorted().map {
            StrayVariable(name: $0)
        }
    }

    /// The warning: the variable's name, and the similar setting that the user probably meant.
    var text: String {
        "the variable \(name.printable) is not a setting" + (nearest.map { "; did you mean \($0)?" } ?? "")
    }

    /// The most similar variable of a setting, with at most one different character in six; nil when there is none.
    var nearest: String? {
        guard name.utf8.count <= Self.longest else { return nil }
        return SimilarName.nearest(to: name, among: ServerSetting.variables, most: min(max(name.utf8.count / 6, 2), 4))
    }
}
