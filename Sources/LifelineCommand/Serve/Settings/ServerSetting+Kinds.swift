// Makes settings of the usual kinds, each from the property that stores its value.
extension ServerSetting {
    static func truth(
        _ name: String, _ field: any WritableKeyPath<ServeSettings, Bool> & Sendable, option: ServerOption? = nil,
        change: Change = .shown, _ meaning: String
    ) -> ServerSetting {
        .init(
            name: name, meaning: meaning, option: option,
            set: { value, settings throws(CommandFailure) in settings[keyPath: field] = try value.truth() },
            shown: { .bool($0[keyPath: field]) }, change: change)
    }

    static func integer(
        _ name: String, _ field: any WritableKeyPath<ServeSettings, Int> & Sendable, in range: ClosedRange<Int>,
        note: String = "", unit: String = "", option: ServerOption? = nil, _ meaning: String
    ) -> ServerSetting {
        .init(
            name: name, meaning: meaning, range: Self.words(range, note: note), option: option,
            set: { value, settings throws(CommandFailure) in settings[keyPath: field] = try value.integer(range, unit: unit) },
            shown: { .integer($0[keyPath: field]) })
    }

    /// A setting whose value is a whole number, or not set.
    ///
    /// - Parameter used: returns the value in effect: the configured value, or the default while the setting is not set.
    static func integer(
        _ name: String, _ field: any WritableKeyPath<ServeSettings, Int?> & Sendable, in range: ClosedRange<Int>,
        note: String = "", used: @escaping @Sendable (ServeSettings) -> Int?, option: ServerOption? = nil,
        unset: UnsetValue = .shown, change: Change = .shown, _ meaning: String
    ) -> ServerSetting {
        .init(
            name: name, meaning: meaning, range: Self.words(range, note: note), option: option, unset: unset,
            set: { value, settings throws(CommandFailure) in settings[keyPath: field] = try value.integer(range) },
            shown: { .integer(used($0)) }, change: change)
    }

    /// Whole seconds.
    static func seconds(
        _ name: String, _ field: any WritableKeyPath<ServeSettings, Duration> & Sendable, in range: ClosedRange<Int>,
        note: String = "", _ meaning: String
    ) -> ServerSetting {
        .init(
            name: name, meaning: meaning, range: Self.words(range, note: note),
            set: { value, settings throws(CommandFailure) in
                settings[keyPath: field] = .seconds(try value.integer(range))
            },
            shown: { .seconds($0[keyPath: field]) })
    }

    /// A setting whose value is a number of seconds with or without decimals.
    static func decimalSeconds(
        _ name: String, _ field: any WritableKeyPath<ServeSettings, Duration> & Sendable, in range: ClosedRange<Int>,
        _ meaning: String
    ) -> ServerSetting {
        .init(
            name: name, meaning: meaning, range: Self.words(range, note: "") + ", with or without decimals",
            set: { value, settings throws(CommandFailure) in settings[keyPath: field] = try value.decimalSeconds(range) },
            shown: { .seconds($0[keyPath: field]) })
    }

    /// A setting whose value is any text that is not empty.
    static func text(
        _ name: String, _ field: any WritableKeyPath<ServeSettings, String?> & Sendable,
        option: ServerOption? = nil, isConfidential: Bool = false, unset: UnsetValue = .nothing,
        shown: (@Sendable (ServeSettings) -> ShownSetting)? = nil, change: Change = .shown, _ meaning: String
    ) -> ServerSetting {
        .init(
            name: name, meaning: meaning, option: option, isConfidential: isConfidential, unset: unset,
            set: { value, settings throws(CommandFailure) in settings[keyPath: field] = try value.string() },
            shown: shown ?? { .string($0[keyPath: field]) }, change: change)
    }

    /// A setting whose value is one of a few words.
    static func word<Value: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ field: any WritableKeyPath<ServeSettings, Value> & Sendable, option: ServerOption,
        change: Change = .shown, _ meaning: String
    ) -> ServerSetting {
        .init(
            name: name, meaning: meaning, option: option,
            set: { value, settings throws(CommandFailure) in
                guard let word = Value(rawValue: try value.string()) else {
                    throw value.wrong("one of " + Value.allCases.map(\.rawValue).joined(separator: ", "))
                }
                settings[keyPath: field] = word
            },
            shown: { .string($0[keyPath: field].rawValue) }, change: change)
    }

    /// A range as text, such as `1 … 64`. A note, if there is one, follows the first number in parentheses.
    private static func words(_ range: ClosedRange<Int>, note: String) -> String {
        "\(range.lowerBound)\(note.isEmpty ? "" : " (\(note))") … \(range.upperBound)"
    }
}
