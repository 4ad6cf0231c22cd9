// What the check needs of the Objective-C runtime's header, declarations only.
#ifndef LIFELINE_OBJECTIVEC_H
#define LIFELINE_OBJECTIVEC_H

#pragma clang assume_nonnull begin

typedef signed char BOOL;
#define YES __objc_yes
#define NO __objc_no
#define nil ((id)0)
typedef long NSInteger;
typedef unsigned long NSUInteger;
typedef struct _NSZone NSZone;

@class Protocol;

@protocol NSObject
@property (readonly) NSUInteger hash;
- (BOOL)isEqual:(nullable id)object;
- (BOOL)isKindOfClass:(Class)class;
+ (Class)class;
- (BOOL)conformsToProtocol:(Protocol *)protocol;
- (BOOL)respondsToSelector:(SEL)selector;
@end

__attribute__((objc_root_class))
@interface NSObject <NSObject>
+ (instancetype)alloc __attribute__((availability(swift, unavailable)));
+ (instancetype)new __attribute__((availability(swift, unavailable)));
- (instancetype)init __attribute__((objc_designated_initializer));
- (instancetype)copy;
@end

#pragma clang assume_nonnull end

#endif
