/// Hears which loops over a sequence are at work with what they were given.
package protocol ConsumerTracker: AnyObject, Sendable {
    /// The consumer waits for elements, so it is done with what it had.
    ///
    /// - Parameter task: tells the consumer's task from others; nil when it is not known.
    func waits(_ consumer: ObjectIdentifier, task: Int?)
    /// The consumer is given elements.
    func began(_ consumer: ObjectIdentifier, task: Int?)
    /// A loop of the consumer is over.
    func ended(_ consumer: ObjectIdentifier)
}
