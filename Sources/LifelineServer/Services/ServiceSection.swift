/// The section of a service in the configuration of `lifeline serve`: an object with fields (rule SO-146).
///
/// Each field is also a variable: `maximumBytes` of the section `echo` is `LIFELINE_ECHO_MAXIMUM_BYTES`. A reload applies all fields.
package protocol ServiceSection: Sendable {
    associatedtype Settings: Sendable

    /// The name of the section's member in the configuration file: one word without dots.
    var name: String { get }
    /// The settings of the service if neither the file nor a variable sets any.
    var unset: Settings { get }
    var fields: [SectionField<Settings>] { get }
}

/// One field of a service's section in the configuration file.
package struct SectionField<Settings: Sendable>: Sendable {
    package enum Kind: Sendable {
        case text(any WritableKeyPath<Settings, String> & Sendable)
        case truth(any WritableKeyPath<Settings, Bool> & Sendable)
        case integer(any WritableKeyPath<Settings, Int> & Sendable, ClosedRange<Int>)
        /// Whole seconds.
        case seconds(any WritableKeyPath<Settings, Duration> & Sendable, ClosedRange<Int>)
    }

    package let name: String
    package let kind: Kind

    package init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }
}
