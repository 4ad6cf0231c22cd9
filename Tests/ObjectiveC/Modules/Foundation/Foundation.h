// What the check needs of Foundation's classes in Objective-C, declarations only.
#ifndef LIFELINE_FOUNDATION_H
#define LIFELINE_FOUNDATION_H

#include <ObjectiveC/ObjectiveC.h>

#pragma clang assume_nonnull begin

// What Foundation's notes for Swift say: the value that stands for a class, and another name of a property.
#define BRIDGED(type) __attribute__((swift_bridge(#type)))
#define NAMED(name) __attribute__((swift_name(name)))

typedef double NSTimeInterval;

// What Foundation says may be used from any thread.
#define SENDABLE __attribute__((swift_attr("@Sendable")))

@class NSCoder;
@class NSData;
@class NSDictionary<__covariant Key, __covariant Value>;
@class NSString;

extern void NSLog(NSString *format, ...);

@protocol NSCopying
- (id)copyWithZone:(nullable NSZone *)zone;
@end

@protocol NSCoding
- (void)encodeWithCoder:(NSCoder *)coder;
- (nullable instancetype)initWithCoder:(NSCoder *)coder;
@end

@protocol NSSecureCoding <NSCoding>
@end

// Here rather than with the class, since the runtime's module knows no strings.
@interface NSObject (Description)
@property (readonly, copy) NSString *description;
@property (readonly, copy) NSString *debugDescription;
@end

@interface NSCoder : NSObject
@end

BRIDGED(Swift.String)
@interface NSString : NSObject <NSCopying>
@property (readonly) NSUInteger length;
+ (instancetype)stringWithFormat:(NSString *)format, ... __attribute__((availability(swift, unavailable)));
- (BOOL)isEqualToString:(NSString *)other;
- (nullable NSData *)dataUsingEncoding:(NSUInteger)encoding;
@end

enum : NSUInteger { NSUTF8StringEncoding = 4 };
enum : NSUInteger { kNilOptions = 0 };

BRIDGED(FoundationEssentials.Data)
@interface NSData : NSObject <NSCopying>
@end

BRIDGED(FoundationEssentials.Date)
@interface NSDate : NSObject <NSCopying>
@end

BRIDGED(FoundationEssentials.URL)
@interface NSURL : NSObject <NSCopying>
- (nullable instancetype)initWithString:(NSString *)text;
@end

BRIDGED(FoundationEssentials.UUID)
@interface NSUUID : NSObject <NSCopying>
@property (readonly, copy) NSString *UUIDString;
+ (instancetype)UUID;
@end

@interface NSNull : NSObject <NSCopying>
- (instancetype)init;
@end

@interface NSValue : NSObject <NSCopying>
@end

@interface NSNumber : NSValue
@property (readonly) NSInteger integerValue NAMED("intValue");
@property (readonly) int intValue NAMED("int32Value");
@property (readonly) long long longLongValue NAMED("int64Value");
@property (readonly) double doubleValue;
@property (readonly) BOOL boolValue;
+ (NSNumber *)numberWithInteger:(NSInteger)value;
+ (NSNumber *)numberWithLong:(long)value;
+ (NSNumber *)numberWithInt:(int)value;
+ (NSNumber *)numberWithDouble:(double)value;
@end

BRIDGED(Swift.Array)
@interface NSArray<__covariant Element> : NSObject <NSCopying>
@property (readonly) NSUInteger count;
@property (readonly, nullable) Element firstObject;
+ (instancetype)arrayWithObjects:(const Element _Nonnull [_Nullable])objects count:(NSUInteger)count;
- (Element)objectAtIndexedSubscript:(NSUInteger)index;
@end

BRIDGED(Swift.Set)
@interface NSSet<__covariant Element> : NSObject <NSCopying>
@end

BRIDGED(Swift.Dictionary)
@interface NSDictionary<__covariant Key, __covariant Value> : NSObject <NSCopying>
- (nullable Value)objectForKeyedSubscript:(Key)key;
+ (instancetype)dictionaryWithObjects:(const Value _Nonnull [_Nullable])objects
                              forKeys:(const id<NSCopying> _Nonnull [_Nullable])keys
                                count:(NSUInteger)count;
@end

@interface NSError : NSObject <NSSecureCoding, NSCopying>
@property (readonly) NSInteger code;
@property (readonly, copy) NSString *domain;
@property (readonly, copy) NSString *localizedDescription;
- (instancetype)initWithDomain:(NSString *)domain
                          code:(NSInteger)code
                      userInfo:(nullable NSDictionary<NSString *, id> *)values __attribute__((objc_designated_initializer));
- (nullable instancetype)initWithCoder:(NSCoder *)coder __attribute__((objc_designated_initializer));
@end

// Only for programs in Objective-C; Swift has its own.
@interface NSJSONSerialization : NSObject
+ (nullable id)JSONObjectWithData:(NSData *)data
                          options:(NSUInteger)options
                            error:(NSError *_Nullable *_Nullable)error __attribute__((availability(swift, unavailable)));
@end

BRIDGED(Foundation.URLRequest)
@interface NSURLRequest : NSObject <NSCopying>
@property (readonly, copy, nullable) NSURL *URL;
- (instancetype)initWithURL:(NSURL *)url;
@end

@interface NSMutableURLRequest : NSURLRequest
@property (copy) NSString *HTTPMethod;
@property (copy, nullable) NSData *HTTPBody;
- (void)addValue:(NSString *)value forHTTPHeaderField:(NSString *)field;
@end

SENDABLE NAMED("URLResponse")
@interface NSURLResponse : NSObject <NSCopying>
@end

SENDABLE NAMED("HTTPURLResponse")
@interface NSHTTPURLResponse : NSURLResponse
@property (readonly) NSInteger statusCode;
@property (readonly, copy) NSDictionary *allHeaderFields;
- (nullable instancetype)initWithURL:(NSURL *)url
                          statusCode:(NSInteger)status
                         HTTPVersion:(nullable NSString *)version
                        headerFields:(nullable NSDictionary<NSString *, NSString *> *)fields
    NAMED("init(url:statusCode:httpVersion:headerFields:)");
@end

SENDABLE NAMED("URLSessionDataTask")
@interface NSURLSessionDataTask : NSObject
- (void)resume;
- (void)cancel;
@end

SENDABLE NAMED("URLSession")
@interface NSURLSession : NSObject
@property (class, readonly, strong) NSURLSession *sharedSession NAMED("shared");
- (NSURLSessionDataTask *)dataTaskWithRequest:(NSURLRequest *)request
                            completionHandler:(void (^SENDABLE)(NSData *_Nullable, NSURLResponse *_Nullable,
                                                                NSError *_Nullable))handler
    NAMED("dataTask(with:completionHandler:)");
@end

#pragma clang assume_nonnull end

#endif
