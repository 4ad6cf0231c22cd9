/// Checks the names of settings, and derives the names of their variables and options.
enum SettingNames {
    /// Returns the members whose names are known and unique. All other members are reported as problems (rule SO-2).
    ///
    /// - Parameter place: the object that the names belong to; empty for the file itself.
    static func check(
        _ members: [(String, SettingValue)], known: [String], in place: String, _ problems: inout SettingProblems
    ) -> [(key: String, value: SettingValue)] {
        let prefix = place.isEmpty ? "" : place + "."
        var seen: Set<String> = []
        return members.compactMap { name, value in
            let suffix = SettingValue.suffix(value.place)
            guard known.contains(name) else {
                problems.add(
                    CommandFailure(
                        "There is no setting \(prefix)\(printable(name))\(suffix). \(advice(name, known: known, in: place))",
                        .usage))
                return nil
            }
            guard seen.insert(name).inserted else {
                problems.add(
                    CommandFailure("The setting \(prefix)\(name)\(suffix) is written twice. Remove one of the two.", .usage))
                return nil
            }
            return (name, value)
        }
    }

    /// The environment variable of a setting: `limits.userIDBytes` becomes `LIFELINE_APP_LIMITS_USER_ID_BYTES` with the prefix
    /// `LIFELINE_APP_`.
    static func variable(_ name: String, prefix: String = "LIFELINE_") -> String {
        var out = prefix
        let letters = Array(name)
        for (index, letter) in letters.enumerated() {
            guard letter != "." else {
                out += "_"
                continue
            }
            if letter.isUppercase, index > 0, letters[index - 1] != "." {
                let isWordStart = letters[index - 1].isLowercase
                let endsAcronym = index + 1 < letters.count && letters[index + 1].isLowercase && letters[index - 1].isUppercase
                if isWordStart || endsAcronym { out += "_" }
            }
            out += letter.uppercased()
        }
        return out
    }

    /// The option of a setting: `reusePort` becomes the flag `--reuse-port`, or `--no-reuse-port`.
    static func option(_ name: String, isOn: Bool = true) -> String {
        (isOn ? "--" : "--no-") + variable(name, prefix: "").lowercased().map { $0 == "_" ? "-" : String($0) }.joined()
    }

    /// Advice for an unknown name: the similar known name, if at most one character in five differs, otherwise all known names.
    private static func advice(_ name: String, known: [String], in place: String) -> String {
        if name.utf8.count <= longest,
            let nearest = SimilarName.nearest(to: name, among: known, most: min(max(name.utf8.count / 5, 1), 3))
        {
            return "Did you mean \(nearest)?"
        }
        return "\(place.isEmpty ? "The settings are" : "The settings in \(place) are") \(known.joined(separator: ", "))."
    }

    /// The longest name, in bytes, for which a similar name is searched.
    private static let longest = 80

    /// A text that was given as a name, without characters that could confuse a terminal.
    private static func printable(_ name: String) -> String {
        let shown = name.prefix(40).filter { $0.isASCII && !$0.isNewline && $0 >= " " && $0 != "\u{7F}" }
        return shown.isEmpty ? "of that name" : String(shown)
    }
}
