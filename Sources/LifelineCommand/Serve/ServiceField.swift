import ArgumentParser
import ServerStorage

/// One field of an application of a service: its name, and how its value is set. Rules SO-1 and SO-140.
struct ServiceField<Value: Sendable>: Sendable {
    /// The name in the file. Fields of `limits` have names with a dot, such as `limits.channels`.
    let name: String
    /// Whether `null` removes a value. For all other fields `null` is the same as leaving the field out.
    let takesNull: Bool
    /// The option of the command line; nil for a field without one.
    let option: ServerOption?
    /// The meaning of the field, as a sentence without its full stop.
    let meaning: String
    let unset: UnsetValue
    /// The present value, for `config show`.
    let shown: @Sendable (Value) -> ShownSetting
    let set: @Sendable (SettingValue, inout Value) throws(CommandFailure) -> Void

    init(
        _ name: String, takesNull: Bool = false, option: ServerOption? = nil, unset: UnsetValue = .shown, _ meaning: String = "",
        shown: @escaping @Sendable (Value) -> ShownSetting,
        _ set: @escaping @Sendable (SettingValue, inout Value) throws(CommandFailure) -> Void
    ) {
        self.name = name
        self.takesNull = takesNull
        self.option = option
        self.unset = unset
        self.meaning = meaning
        self.shown = shown
        self.set = set
    }

    static func truth(
        _ name: String, _ field: any WritableKeyPath<Value, Bool> & Sendable, option: ServerOption? = nil, _ meaning: String = ""
    ) -> ServiceField {
        .init(name, option: option, meaning, shown: { .bool($0[keyPath: field]) }) { value, object throws(CommandFailure) in
            object[keyPath: field] = try value.truth()
        }
    }

    static func secret(
        _ name: String, _ field: any WritableKeyPath<Value, Secret> & Sendable, option: ServerOption, _ meaning: String
    ) -> ServiceField {
        .init(name, option: option, meaning, shown: { .secret($0[keyPath: field]) }) { value, object throws(CommandFailure) in
            object[keyPath: field] = Secret(try value.confidential.string())
        }
    }

    /// An optional secret.
    static func secret(
        _ name: String, _ field: any WritableKeyPath<Value, Secret?> & Sendable, option: ServerOption, _ meaning: String
    ) -> ServiceField {
        .init(name, option: option, meaning, shown: { .secret($0[keyPath: field]) }) { value, object throws(CommandFailure) in
            object[keyPath: field] = Secret(try value.confidential.string())
        }
    }

    static func integer(
        _ name: String, _ field: any WritableKeyPath<Value, Int> & Sendable, in range: ClosedRange<Int>,
        option: ServerOption? = nil, _ meaning: String = ""
    ) -> ServiceField {
        .init(name, option: option, meaning, shown: { .integer($0[keyPath: field]) }) { value, object throws(CommandFailure) in
            object[keyPath: field] = try value.integer(range)
        }
    }

    /// A field with an optional number. Without a number there is no limit.
    static func count(
        _ name: String, _ field: any WritableKeyPath<Value, Int?> & Sendable, in range: ClosedRange<Int>,
        option: ServerOption? = nil, _ meaning: String = ""
    ) -> ServiceField {
        .init(
            name, takesNull: true, option: option, unset: .words("no limit"), meaning, shown: { .integer($0[keyPath: field]) }
        ) { value, object throws(CommandFailure) in
            object[keyPath: field] = value.isNull ? nil : try value.integer(range)
        }
    }

    static func seconds(
        _ name: String, _ field: any WritableKeyPath<Value, Duration> & Sendable, in range: ClosedRange<Int>,
        option: ServerOption? = nil, _ meaning: String = ""
    ) -> ServiceField {
        .init(name, option: option, meaning, shown: { .seconds($0[keyPath: field]) }) { value, object throws(CommandFailure) in
            object[keyPath: field] = try value.seconds(range)
        }
    }

    /// A field with an optional time.
    ///
    /// - Parameters:
    ///   - used: the time that applies without a value; nil when no time applies.
    ///   - unset: how help texts describe the default.
    static func seconds(
        _ name: String, _ field: any WritableKeyPath<Value, Duration?> & Sendable, in range: ClosedRange<Int>,
        used: Duration? = nil, option: ServerOption? = nil, unset: UnsetValue = .shown, _ meaning: String = ""
    ) -> ServiceField {
        .init(
            name, takesNull: true, option: option, unset: unset, meaning, shown: { .seconds($0[keyPath: field] ?? used) }
        ) { value, object throws(CommandFailure) in
            object[keyPath: field] = value.isNull ? nil : try value.seconds(range)
        }
    }

    /// Ids and keys are parts of paths, signatures and names in the store, so some characters are not allowed.
    static func name(
        _ name: String, _ field: any WritableKeyPath<Value, String> & Sendable, length: Int = 200, option: ServerOption,
        _ meaning: String
    ) -> ServiceField {
        .init(name, option: option, meaning, shown: { .string($0[keyPath: field]) }) { value, object throws(CommandFailure) in
            let text = try value.string()
            let isClean = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/?#%:&\"\\".utf8.contains($0) }
            guard text.utf8.count <= length, isClean else {
                throw value.wrong("1 to \(length) ASCII characters without spaces and without / ? # % : & \" and \\")
            }
            object[keyPath: field] = text
        }
    }
}
